export const problems = {
  connection: 'The server cannot be reached. Please check the connection and try again.',
  unexpected: 'Something unexpected happened in this page. Please load it again.',
  sessionEnded: 'The session had ended. Nothing was saved: please send it again.',
  /** By the names of the browser's errors. */
  passkeys: {
    NotAllowedError: 'No passkey was used: it was cancelled, not confirmed, or took too long.',
    InvalidStateError: 'There is a passkey of yours on this device already.',
    SecurityError:
      'Passkeys do not work at this address. Open the portal at its public name, or at localhost on your own machine.',
  },
  /** Problems after which the page says more than the server. */
  codes: {
    position_in_use:
      'A control area in use cannot be disabled. Move its customers first; it can be disabled on the first day of their new placement.',
    webhook_endpoint_disabled: 'The endpoint is disabled. Enable it first.',
    precondition_failed:
      'Nothing was saved, because another user has changed this meanwhile. The current data is shown: check it and save again.',
    internal_error:
      'A server error occurred. Please try again; if it persists, tell the operator the request id.',
  },
};
