<?php
// $headers: those of getallheaders(); $body: file_get_contents('php://input')
function is_from_patchbay(string $secret, array $headers, string $body): bool {
    $headers = array_change_key_case($headers);
    $id = $headers['webhook-id'] ?? '';
    $timestamp = $headers['webhook-timestamp'] ?? '';
    if (!ctype_digit($timestamp) || abs(time() - (int) $timestamp) >= 300) return false;
    $key = base64_decode(preg_replace('/^whsec_/', '', $secret));
    $wanted = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
    foreach (explode(' ', $headers['webhook-signature'] ?? '') as $given) {
        if (hash_equals($wanted, $given)) return true;
    }
    return false;
}
