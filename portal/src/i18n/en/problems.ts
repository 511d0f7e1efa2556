export const problems = {
  connection: 'The server cannot be reached. Please check the connection and try again.',
  unexpected: 'Something unexpected happened in this page. Please load it again.',
  /** A message about a field. The server's is in English and names the invalid value. */
  field: (_code: string, message: string) => message,
  /** A problem that `codes` does not explain. */
  other: (_code: string, detail: string) => detail,
  /** Another text of the server. */
  serverText: (text: string) => text,
  codes: {
    invalid_credentials: 'The email or the password is wrong.',
    invalid_session: 'Your session has ended. Please sign in again.',
    insufficient_permissions: 'Your user may look at this, but not change it.',
    rate_limited: 'Too many attempts in a short time. Please wait a minute and try again.',
    too_many_exports: 'As many exports as possible are running already. Please wait until one has ended.',
    invitation_not_found: 'This invitation does not exist, has been used, or has run out.',
    already_active: 'This customer is active already.',
    invalid_status_transition: 'This step is not possible in the present state. Please load the page again.',
    balance_group_tso_not_enabled:
      'This control area is not enabled for the balance group. Enable it in the balance group settings first.',
    position_in_use:
      'A control area in use cannot be disabled. Move its customers first; it can be disabled on the first day of their new placement.',
    too_many_endpoints: 'There are ten webhook endpoints already. Delete one first.',
    webhook_endpoint_disabled: 'The endpoint is disabled. Enable it first.',
    precondition_failed:
      'Nothing was saved, because another user has changed this meanwhile. The current data is shown: check it and save again.',
    internal_error:
      'A server error occurred. Please try again; if it persists, tell the operator the request id.',
    unavailable: 'The server is busy or being restarted. Please try again in a moment.',
  },
};
