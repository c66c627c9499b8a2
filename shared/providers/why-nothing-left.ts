// When a failed call is proof that no byte of the request left: only when it failed before there was a connection.
//
// A reset, a closed socket or a time-out is never such a proof. The list is closed: an error that is not on
// it is an unknown.

/** The request is written only after the handshake, so a certificate that was turned down saw none of it. */
const certificateCodes: ReadonlySet<string> = new Set([
  "CERT_HAS_EXPIRED",
  "CERT_NOT_YET_VALID",
  "CERT_REJECTED",
  "CERT_REVOKED",
  "CERT_UNTRUSTED",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "ERR_TLS_CERT_ALTNAME_INVALID",
  "HOSTNAME_MISMATCH",
  "INVALID_CA",
  "INVALID_PURPOSE",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
]);

/** Undefined unless the failure happened before there was a connection: a reset never proves that. */
export function whyNothingLeft(error: unknown): string | undefined {
  const cause = error instanceof TypeError ? error.cause : error;
  if (cause instanceof AggregateError) {
    // One attempt per address of the host; all of them must have failed in connecting.
    const reasons = cause.errors.map(whyNothingLeft);
    return reasons.length > 0 && !reasons.includes(undefined) ? reasons[0] : undefined;
  }
  if (!(cause instanceof Error)) return undefined;
  const code = codeOf(cause);
  const syscall = "syscall" in cause ? cause.syscall : undefined;
  if (syscall === "getaddrinfo") return `the host name was not found (${code})`;
  if (syscall === "connect" || code === "UND_ERR_CONNECT_TIMEOUT") return `no connection (${code})`;
  if (certificateCodes.has(code)) return `the certificate was turned down (${code})`;
  return undefined;
}

export function codeOf(error: unknown): string {
  const cause = error instanceof TypeError ? (error.cause ?? error) : error;
  if (!(cause instanceof Error)) return "no code";
  return "code" in cause && typeof cause.code === "string" ? cause.code : cause.name;
}
