import { requestEndpoints as api } from '@saldo/api';
import type { Command } from 'commander';
import { localTime } from '../tables.ts';
import { addExamples, addList, type OpenSession, showing } from './command.ts';

/** Works with a key of a BRP or of the operator: the requests are those of its owner. */
export function addRequestCommands(program: Command, open: OpenSession): void {
  const requests = program.command('requests').description('the log of your requests');
  addList(requests, open, {
    endpoint: api.listRequests,
    about: 'list the requests of your keys and users, newest first',
    examples: [
      'requests list --status-class 4xx',
      'requests list --caller key_01jhm3w0ave6p8mxk2r5t7zj4h --since 2026-01-15T14:00:00Z --all --json',
    ],
    columns: [
      ['WHEN', ({ at }) => localTime(at)],
      ['STATUS', ({ status }) => status],
      ['MS', ({ duration_ms }) => duration_ms],
      ['REQUEST', ({ method, path }) => `${method} ${path}`],
      ['PROBLEM', ({ problem }) => problem],
      ['CALLER', ({ caller, caller_name }) => caller_name ?? caller],
      ['ID', ({ request_id }) => request_id],
    ],
    fromBoth: (client) => client.requests,
  });
  const show = requests
    .command('show <request-id>')
    .description('show one request by the X-Request-Id of its answer');
  addExamples(show, 'requests show req_0f9d3c1f5e0b4a8f9c54f8f3a6f0d2b7').action(
    showing(open, 'client', (client, id) => client.requests.get(id)),
  );
}
