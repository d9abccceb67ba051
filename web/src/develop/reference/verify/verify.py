import base64, hashlib, hmac, re, time

# headers: those of Flask, Django or http.server, or a dict; body: the bytes as they came
def is_from_patchbay(secret: str, headers, body: bytes) -> bool:
    given = {name.lower(): value for name, value in headers.items()}
    id, timestamp = given.get("webhook-id", ""), given.get("webhook-timestamp", "")
    if not re.fullmatch("[0-9]{1,12}", timestamp) or abs(time.time() - int(timestamp)) >= 300:
        return False
    key = base64.b64decode(secret.removeprefix("whsec_"))
    expected = hmac.new(key, f"{id}.{timestamp}.".encode() + body, hashlib.sha256).digest()
    wanted = "v1," + base64.b64encode(expected).decode()
    signatures = given.get("webhook-signature", "").split(" ")
    return any(hmac.compare_digest(wanted.encode(), one.encode()) for one in signatures)
