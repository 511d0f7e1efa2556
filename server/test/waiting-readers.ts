import { until } from './until.ts';

/** The number of long polls that wait in a process. */
export async function waitingReaders(adminUrl: string): Promise<number> {
  const text = await (await fetch(`${adminUrl}/metrics`)).text();
  return Number(/^saldo_event_readers_waiting(?:\{.*\})? (\d+)$/m.exec(text)?.[1]);
}

export async function untilReadersWait(adminUrl: string, count: number): Promise<void> {
  await until(
    async () => (await waitingReaders(adminUrl)) === count,
    () => `${count} long polls wait`,
  );
}
