type Entry = {
  readonly status: number;
  readonly title: string;
  readonly explanation: string;
  readonly remedy: string;
};

/** The only catalogue of problems: code, status and title as in responses, and the text of their documentation page. */
export const PROBLEMS = {
  validation: {
    status: 400,
    title: 'Validation Failed',
    explanation: 'The request has an invalid parameter, header or body member.',
    remedy:
      'Correct every field listed in `errors`, which has all of them. A rejected request changes nothing.',
  },
  balance_group_tso_not_enabled: {
    status: 400,
    title: 'Balance Group TSO Not Enabled',
    explanation: 'The balance group is yours, but the requested TSO is not enabled for it.',
    remedy: 'Enable the TSO in the balance group settings first, then repeat the request.',
  },
  unreadable_message: {
    status: 400,
    title: 'Unreadable Message',
    explanation:
      'The document cannot be used as an answer of a TSO. It is stored with the reason; no nomination changed.',
    remedy: 'Read the reason, and ask the sender to correct the document and send it again.',
  },
  invalid_api_key: {
    status: 401,
    title: 'Invalid API Key',
    explanation: 'The header `X-Api-Key` is missing, or its value is not a valid key of this API.',
    remedy:
      'Send a key of this API that is neither revoked nor expired. Keys of the other APIs do not work here.',
  },
  invalid_session: {
    status: 401,
    title: 'Not Signed In',
    explanation: 'There is no session, or it has ended.',
    remedy: 'Sign in, and repeat the request.',
  },
  invalid_credentials: {
    status: 401,
    title: 'Invalid Credentials',
    explanation: 'The email or the password is wrong, or the user may not sign in.',
    remedy: 'Check both. Ask the operator for a new invitation when the password is lost.',
  },
  sign_in_refused: {
    status: 403,
    title: 'Sign-in Refused',
    explanation:
      'The sign-in with an identity provider failed: it was cancelled, took too long, could not be verified, or the provider does not answer. Or a password was given where only a provider is accepted, or the demo user has a new password or is disabled.',
    remedy: 'Start the sign-in again. If it fails again, ask the operator, whose log has the reason.',
  },
  insufficient_scopes: {
    status: 403,
    title: 'Insufficient API Key Scopes',
    explanation:
      'The key or session is valid, but lacks a scope that the operation requires or that the request would grant.',
    remedy:
      'Create a new key with the required scopes; the scopes of an existing key never change. Users ask an administrator of their organisation.',
  },
  insufficient_permissions: {
    status: 403,
    title: 'Insufficient Permissions',
    explanation: 'The user is signed in, but lacks the permission for this operation.',
    remedy: 'Ask an administrator of your organisation.',
  },
  second_factor_required: {
    status: 403,
    title: 'Second Factor Required',
    explanation: 'The sign-in is not complete: the session lacks the second factor of its user.',
    remedy: 'Complete the sign-in in the portal.',
  },
  recent_sign_in_required: {
    status: 403,
    title: 'Recent Sign-In Required',
    explanation:
      'The session began too long ago to change how its user signs in: another person may be using the browser.',
    remedy: 'Sign in again, and repeat the change.',
  },
  foreign_origin: {
    status: 403,
    title: 'Foreign Origin',
    explanation: 'A change was requested with a session cookie, but not by a page of the portal.',
    remedy:
      'Open the portal at its own address. Programs use an API key in `X-Api-Key` instead of a session.',
  },
  not_found: {
    status: 404,
    title: 'Not Found',
    explanation: 'No operation has this path.',
    remedy: 'Compare the path with the documentation at `/docs`; every path begins with its version.',
  },
  contract_not_found: {
    status: 404,
    title: 'Contract Not Found',
    explanation: 'The contract does not exist, or neither of its balance groups is yours.',
    remedy: 'Check the id, and that the key belongs to the BRP of the seller or the buyer.',
  },
  transaction_not_found: {
    status: 404,
    title: 'Transaction Not Found',
    explanation: 'The transaction does not exist, or neither sender nor receiver is yours.',
    remedy: 'Check the id, and that the key belongs to the BRP of the sender or the receiver.',
  },
  nomination_not_found: {
    status: 404,
    title: 'Nomination Not Found',
    explanation: 'The nomination does not exist, or its balance group is not yours.',
    remedy: 'Check the id, and that the key belongs to the BRP of the balance group.',
  },
  export_not_found: {
    status: 404,
    title: 'Export Not Found',
    explanation: 'The id is not that of an export of yours.',
    remedy: 'Take the id from the header `X-Saldo-Export-Id` of the export, and use a key of the same owner.',
  },
  series_not_found: {
    status: 404,
    title: 'Series Not Found',
    explanation: 'There is no series with this id.',
    remedy: 'Check the id; the list of series has all of them.',
  },
  interchange_not_found: {
    status: 404,
    title: 'Interchange Not Found',
    explanation: 'There is no interchange with this id.',
    remedy: 'Check the id; the list of interchanges has all of them.',
  },
  brp_not_found: {
    status: 404,
    title: 'BRP Not Found',
    explanation: 'There is no BRP with this id.',
    remedy: 'Check the id; the list of BRPs has all of them.',
  },
  balance_group_not_found: {
    status: 404,
    title: 'Balance Group Not Found',
    explanation: 'The balance group does not exist, or is not yours.',
    remedy: 'Check the EIC; the list of balance groups has all that you can read.',
  },
  api_key_not_found: {
    status: 404,
    title: 'API Key Not Found',
    explanation: 'There is no API key with this id.',
    remedy: 'Check the id; it begins with `key_` and is not the key itself.',
  },
  user_not_found: {
    status: 404,
    title: 'User Not Found',
    explanation: 'There is no user with this id.',
    remedy: 'Check the id; the list of users has all of them.',
  },
  passkey_not_found: {
    status: 404,
    title: 'Passkey Not Found',
    explanation: 'The passkey does not exist, or is not yours.',
    remedy: 'Check the id; the list of passkeys has all of yours.',
  },
  session_not_found: {
    status: 404,
    title: 'Session Not Found',
    explanation: 'The user has no session with this id. It may have ended.',
    remedy: 'List the sessions again.',
  },
  invitation_not_found: {
    status: 404,
    title: 'Invitation Not Found',
    explanation: 'The link was used already, has expired, or was replaced by a newer one.',
    remedy: 'Sign in if you have set a password before; else ask the operator for a new link.',
  },
  asset_not_found: {
    status: 404,
    title: 'Asset Not Found',
    explanation: 'There is no asset with this id.',
    remedy: 'Check the id; the list of assets has all of them.',
  },
  demand_not_found: {
    status: 404,
    title: 'Demand Not Found',
    explanation: 'There is no demand with this id.',
    remedy: 'Check the id; the list of demands has all of them that are not deleted.',
  },
  message_not_found: {
    status: 404,
    title: 'Message Not Found',
    explanation: 'There is no message with this id, or its document was not stored.',
    remedy: 'Check the id; the list of messages has all of them.',
  },
  alarm_not_found: {
    status: 404,
    title: 'Alarm Not Found',
    explanation: 'There is no alarm with this id.',
    remedy: 'Check the id; the list of alarms has all of them, those of the past with `state=resolved`.',
  },
  webhook_endpoint_not_found: {
    status: 404,
    title: 'Webhook Endpoint Not Found',
    explanation: 'The webhook endpoint does not exist, or is not yours.',
    remedy: 'Check the id; the list of webhook endpoints has all of yours.',
  },
  webhook_delivery_not_found: {
    status: 404,
    title: 'Webhook Delivery Not Found',
    explanation:
      'The webhook endpoint has no delivery with this id. Deliveries are deleted with their event.',
    remedy: 'Check the id; the list of deliveries of the endpoint has all that are kept.',
  },
  customer_not_found: {
    status: 404,
    title: 'Customer Not Found',
    explanation: 'The customer does not exist, or is not assigned to you.',
    remedy: 'Check the id, and that the key belongs to the BRP the customer is assigned to.',
  },
  event_not_found: {
    status: 404,
    title: 'Event Not Found',
    explanation: 'The event does not exist, is not kept any more, or is of another party.',
    remedy: 'Check the id; the list of events has all that are kept and concern you.',
  },
  request_not_found: {
    status: 404,
    title: 'Request Not Found',
    explanation:
      'The log has no request with this id: it is not written yet, not kept any more, of another party, or was sent without a valid key.',
    remedy:
      'Check the id, which is in the header `X-Request-Id` of the answer, and try again after ten seconds.',
  },
  method_not_allowed: {
    status: 405,
    title: 'Method Not Allowed',
    explanation: 'The path exists, but not with this method.',
    remedy: 'Use one of the methods in the `Allow` header.',
  },
  request_timeout: {
    status: 408,
    title: 'Request Timeout',
    explanation: 'The request did not arrive completely in time.',
    remedy: 'Send the whole request without long pauses.',
  },
  already_exists: {
    status: 409,
    title: 'Already Exists',
    explanation: 'A record with the same unique value already exists.',
    remedy: 'Use the existing record, or choose another name or code.',
  },
  shares_exceeded: {
    status: 409,
    title: 'Shares Exceeded',
    explanation: 'On at least one day the shares of all contracts of a series would exceed 1.',
    remedy: 'Reduce the share, or end or change another contract of the series; the detail names them.',
  },
  contract_has_source: {
    status: 409,
    title: 'Contract Has a Source',
    explanation: 'The volumes of the contract follow from series, so that they cannot be written directly.',
    remedy: 'Write the values of its series, or end the source of the contract first.',
  },
  interchange_conflict: {
    status: 409,
    title: 'Interchange Conflict',
    explanation: 'Another interchange of the same sender has this control reference.',
    remedy: 'Ask the sender for an interchange with a reference of its own.',
  },
  contract_without_volumes: {
    status: 409,
    title: 'Contract Without Volumes',
    explanation: 'Only contracts of type `ppa` with both delivery dates accept volumes.',
    remedy: 'Check the contract’s id, its type and its delivery dates.',
  },
  position_in_use: {
    status: 409,
    title: 'Position In Use',
    explanation:
      'The TSO cannot be disabled for the balance group: customers are placed there, today or from a later day on.',
    remedy:
      'Move the customers to another balance group or TSO, and repeat the request on the first day of their new placement.',
  },
  idempotency_key_reused: {
    status: 409,
    title: 'Idempotency Key Reused',
    explanation:
      'The `Idempotency-Key` was used for another request of this operation within the last 24 hours.',
    remedy: 'Use a new key for a new request; repeat a request only with the same path and body.',
  },
  already_active: {
    status: 409,
    title: 'Customer Already Active',
    explanation: 'Activation was requested for a customer that is active already.',
    remedy: 'Nothing needs to be done; leave `status` out of the request to change other fields.',
  },
  customer_not_active: {
    status: 409,
    title: 'Customer Not Active',
    explanation:
      'A contract takes volumes for a delivery day only if both customers have been activated and none of them is deactivated on that day.',
    remedy: 'The BRP that the message names activates the customer. Then send the volumes again.',
  },
  invalid_status_transition: {
    status: 409,
    title: 'Invalid Status Transition',
    explanation: 'The record cannot change from its current status to the requested one.',
    remedy: 'Read the record and request a transition that its status allows.',
  },
  too_many_endpoints: {
    status: 409,
    title: 'Too Many Endpoints',
    explanation: 'You have as many webhook endpoints as are allowed.',
    remedy: 'Delete an endpoint, or change one that exists.',
  },
  too_many_passkeys: {
    status: 409,
    title: 'Too Many Passkeys',
    explanation: 'You have as many passkeys as are allowed.',
    remedy: 'Remove a passkey that you no longer use.',
  },
  webhook_endpoint_disabled: {
    status: 409,
    title: 'Webhook Endpoint Disabled',
    explanation: 'The webhook endpoint is disabled, so nothing is sent to it.',
    remedy: 'Enable the endpoint first, then repeat the request.',
  },
  events_expired: {
    status: 410,
    title: 'Events Expired',
    explanation:
      'Events after the place in `after` are not kept any more, or the place is not one of your feed.',
    remedy:
      'Read your records anew, then follow the events without `after`, or with `latest` as its value. Ask at least once within the days that events are kept.',
  },
  precondition_failed: {
    status: 412,
    title: 'Precondition Failed',
    explanation: 'The record has changed since the version named in `If-Match`.',
    remedy: 'Read the record again, decide again, and send its new `ETag`.',
  },
  payload_too_large: {
    status: 413,
    title: 'Payload Too Large',
    explanation: 'The request body is larger than the operation allows.',
    remedy: 'Split the request into smaller ones.',
  },
  unsupported_media_type: {
    status: 415,
    title: 'Unsupported Media Type',
    explanation:
      'The body has a `Content-Type`, character set or `Content-Encoding` that the operation does not accept.',
    remedy:
      'Send the `Content-Type` that `detail` names, in UTF-8. Most operations accept `application/json`; a PATCH also accepts `application/merge-patch+json`.',
  },
  rate_limited: {
    status: 429,
    title: 'Rate Limited',
    explanation: 'The key or address has exceeded its number of requests in the current window.',
    remedy:
      'Wait for the number of seconds in `Retry-After`; read more per request with `limit` and bulk reads.',
  },
  clock_moved_back: {
    status: 409,
    title: 'Clock Moved Back',
    explanation:
      'The clock of this sandbox was moved back, so that the order of its changes is not that of their instants.',
    remedy: 'Read without `as_of`, or use a sandbox whose clock was only moved forward.',
  },
  not_sealed: {
    status: 409,
    title: 'Not Sealed',
    explanation: 'The change is not part of a sealed tree of the ledger yet.',
    remedy: 'Repeat the request after the number of seconds in `Retry-After`.',
  },
  ledger_mismatch: {
    status: 409,
    title: 'Ledger Mismatch',
    explanation:
      'The stored record is not the one that the ledger has: the record or the ledger was changed outside of the platform.',
    remedy: 'Tell the operator, who runs `saldo verify`. Proofs and seals that you have kept stay valid.',
  },
  seal_not_found: {
    status: 404,
    title: 'Seal Not Found',
    explanation: 'No seal of the ledger has this size.',
    remedy: 'Take `tree_size` from `GET /v1/ledger/seals`.',
  },
  inquiry_not_found: {
    status: 404,
    title: 'Inquiry Not Found',
    explanation: 'There is no inquiry with this id.',
    remedy: 'Check the id; list the inquiries to find it.',
  },
  too_many_inquiries: {
    status: 409,
    title: 'Too Many Inquiries',
    explanation: 'The account has as many open inquiries as are allowed.',
    remedy: 'Wait for answers, or close inquiries that are no longer needed.',
  },
  too_many_exports: {
    status: 429,
    title: 'Too Many Exports',
    explanation: 'The key or user already has as many exports in progress as it may.',
    remedy: 'Wait until one of them has ended, or read one file of more days instead of several at once.',
  },
  uri_too_long: {
    status: 414,
    title: 'URI Too Long',
    explanation: 'The path and query together are longer than the server allows.',
    remedy: 'Send fewer or shorter parameters; long id lists belong in the body of a bulk read.',
  },
  headers_too_large: {
    status: 431,
    title: 'Request Header Fields Too Large',
    explanation: 'The request line and headers together are larger than the server allows.',
    remedy: 'Send fewer or shorter headers.',
  },
  internal_error: {
    status: 500,
    title: 'Internal Error',
    explanation: 'An unexpected error occurred in the server.',
    remedy: 'Repeat the request later; if it persists, report the `X-Request-Id` of the answer.',
  },
  unavailable: {
    status: 503,
    title: 'Unavailable',
    explanation:
      'The server is temporarily unavailable: it is overloaded or stopping, or its database is lost or full.',
    remedy: 'Repeat the request after the number of seconds in `Retry-After`.',
  },
} as const satisfies Record<string, Entry>;

export type ProblemCode = keyof typeof PROBLEMS;
export const PROBLEM_CODES = Object.keys(PROBLEMS) as ProblemCode[];
