"""Checks the TLS of facade and core by SSLyze against Mozilla's intermediate configuration, and the
facade's headers by DrHeader against its own rules. What neither accepts nor is explained here fails."""

import json
import os
import subprocess
import sys
from pathlib import Path

import sslyze
from drheader import Drheader

facade = os.environ["TLS_CHECK_FACADE"]
core = os.environ["TLS_CHECK_CORE"]
folder = Path(sys.argv[1])

# Beyond Mozilla's list OpenSSL also offers these two, which nothing speaks against.
more_curves = ["X448", "secp521r1"]

pages = ["/", "/docs", "/openapi.json", "/livez", "/face_config_score?detection"]
explained = {
    "Cache-Control": "no-store needs no max-age; pages are asked for anew by no-cache",
    "Content-Security-Policy - style-src-attr": "Swagger UI and the console set style attributes",
    "Pragma": "of HTTP/1.0",
    "Strict-Transport-Security": "what runs on subdomains is not ours to say",
    "X-Frame-Options": "frame-ancestors in the policy, which all browsers go by",
    "X-XSS-Protection": "no browser has that filter any more",
}


def check_tls() -> bool:
    profiles = json.loads((Path(sslyze.__file__).parent / "mozilla_tls_profile/5.7.json").read_text())
    profile = profiles["configurations"]["intermediate"]
    profile["tls_curves"] += more_curves
    config = folder / "tls-config.json"
    config.write_text(json.dumps(profile))
    command = [sys.executable, "-m", "sslyze", "--custom_tls_config", str(config)]
    command += ["--certinfo_ca_file", str(folder / "ca.crt"), facade, core]
    done = subprocess.run(command, capture_output=True, text=True)
    report, _, verdict = done.stdout.partition("COMPLIANCE AGAINST TLS CONFIGURATION")
    (folder / "sslyze.txt").write_text(done.stdout + done.stderr)
    print(verdict.strip("\n -") or report + done.stderr)
    return done.returncode == 0


def check_headers() -> bool:
    good = True
    for page in pages:
        url = f"https://{facade}{page}"
        findings = Drheader(url=url, method="get", verify=str(folder / "ca.crt")).analyze()
        left = [finding for finding in findings if finding["rule"] not in explained]
        print(f"    {page}: {len(findings) - len(left)} explained, {len(left)} not")
        for finding in left:
            print(f"        {json.dumps(finding)}")
        good = good and not left
    return good


print("TLS, by SSLyze:")
tls_is_good = check_tls()
print("\nHeaders, by DrHeader:")
headers_are_good = check_headers()
print(f"\nThe whole report of SSLyze: {folder / 'sslyze.txt'}")
sys.exit(0 if tls_is_good and headers_are_good else 1)
