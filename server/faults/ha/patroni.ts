/** Requests to the REST API of Patroni. */

const ANSWER_WITHIN_MS = 1_000;
/** A switchover waits for the shutdown of the primary. */
const SWITCHOVER_WITHIN_MS = 60_000;

export type Member = { name: string; role: string; state: string; timeline?: number };

/** Null while the machine does not answer. */
const ask = (url: string): Promise<Response | null> =>
  fetch(url, { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) }).catch(() => null);

/** Of these machines, the one that has the lock of the primary. */
export async function findPrimaryUrl(urls: readonly string[]): Promise<string | null> {
  const found = await Promise.all(
    urls.map(async (url) => ((await ask(`${url}/primary`))?.status === 200 ? url : null)),
  );
  return found.find((url) => url !== null) ?? null;
}

/** All machines that take part, as one of them knows them. */
export async function listMembers(url: string): Promise<Member[]> {
  const answer = await ask(`${url}/cluster`);
  const body =
    answer === null ? null : ((await answer.json().catch(() => null)) as { members: Member[] } | null);
  return body?.members ?? [];
}

/** What `patronictl switchover` does. False: Patroni refuses it for the moment. */
export async function requestSwitchover(url: string, leader: string, password: string): Promise<boolean> {
  const answer = await fetch(`${url}/switchover`, {
    method: 'POST',
    signal: AbortSignal.timeout(SWITCHOVER_WITHIN_MS),
    headers: {
      authorization: `Basic ${Buffer.from(`patroni:${password}`).toString('base64')}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ leader }),
  });
  await answer.text();
  return answer.ok;
}
