import { Transform } from 'node:stream';
import type { TestEvent } from 'node:test/reporters';
import { inspect } from 'node:util';

/** What a worker process sends to the runner. Nesting 0 is a test file, greater ones are its tests. */
export type WorkerEvent =
  | { readonly type: 'ready' }
  | { readonly type: 'state'; readonly text: string }
  | { readonly type: 'started'; readonly name: string; readonly nesting: number }
  | {
      readonly type: 'ended';
      readonly name: string;
      readonly nesting: number;
      readonly result: 'passed' | 'failed' | 'skipped';
      /** Null for a test that failed only because one of its subtests did. */
      readonly error: string | null;
    };

export const tell = (event: WorkerEvent): void => void process.send?.(event);

function pass({ type, data }: TestEvent): void {
  if (type === 'test:dequeue') tell({ type: 'started', name: data.name, nesting: data.nesting });
  if (type !== 'test:complete') return;
  const { name, nesting, skip, details } = data;
  const { error } = details;
  const isOwn = error !== undefined && (error as { failureType?: string }).failureType !== 'subtestsFailed';
  tell({
    type: 'ended',
    name,
    nesting,
    result: !details.passed ? 'failed' : skip === undefined || skip === false ? 'passed' : 'skipped',
    error: isOwn ? inspect(error.cause ?? error) : null,
  });
}

/** Passes the events of Node's test runner on as they happen. Its own reporters print them when their file has ended. */
export default new Transform({
  writableObjectMode: true,
  transform(event: TestEvent, _encoding, done) {
    pass(event);
    done();
  },
});
