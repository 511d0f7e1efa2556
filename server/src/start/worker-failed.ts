/** A worker did not start. The worker itself has logged the reason. */
export class WorkerFailed extends Error {
  override name = 'WorkerFailed';
}
