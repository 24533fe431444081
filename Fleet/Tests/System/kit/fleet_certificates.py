# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""A certificate authority of the test's own, made with openssl."""

import ssl
import subprocess
from pathlib import Path

from mqtt_client import BROKER, client_context


class FleetCertificates:
    """The authority in `ca.pem`, and a certificate `NAME.pem` with the common name NAME for each name.

    All of them have one key, `key.pem`, so that two thousand are made quickly.
    """

    def __init__(self, folder: Path):
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.authority, self.key = folder / "ca.pem", folder / "key.pem"
        for key in ("ca.key", "key.pem"):
            self._openssl("ecparam", "-genkey", "-name", "prime256v1", "-noout", "-out", key)
        self._openssl("pkey", "-in", "key.pem", "-pubout", "-out", "public.pem")
        request = ["req", "-x509", "-new", "-key", "ca.key", "-subj", "/CN=fleet of a test", "-days", "2", "-out", "ca.pem"]
        self._openssl(*request)
        (folder / "extensions").write_text(f"subjectAltName=DNS:{BROKER}\n")
        self.add(BROKER, "-extfile", "extensions")

    def add(self, name: str, *options: str) -> None:
        sign = ["-CA", "ca.pem", "-CAkey", "ca.key", "-days", "2", *options, "-out", f"{name}.pem"]
        self._openssl("x509", "-new", "-subj", f"/CN={name}", "-force_pubkey", "public.pem", *sign)

    def path(self, name: str) -> Path:
        return self.folder / f"{name}.pem"

    def context(self, name: str) -> ssl.SSLContext:
        """TLS with the certificate of this name."""
        return client_context(self.authority, self.path(name), self.key)

    def _openssl(self, *arguments: str) -> None:
        subprocess.run(["openssl", *arguments], cwd=self.folder, check=True, capture_output=True)
