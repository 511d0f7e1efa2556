export type Started = (() => Promise<void>)[];

/** Stops components in reverse order of their start. */
async function stopAll(started: Started): Promise<void> {
  while (started.length > 0) await started.pop()?.();
}

/** Starts components in order. If one fails, stops those that were started before it. */
export async function startInOrder<T>(
  start: (started: Started) => Promise<T>,
): Promise<T & { stop(): Promise<void> }> {
  const started: Started = [];
  try {
    return { ...(await start(started)), stop: () => stopAll(started) };
  } catch (error) {
    await stopAll(started);
    throw error;
  }
}
