import type { Nomination } from '@saldo/api';
import { formatInstant } from '@saldo/core/delivery-day.ts';
import { isProblem, SaldoProofError, verifyProof } from '@saldo/sdk';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useI18n } from '../i18n/i18n.tsx';
import { NominationBadges } from '../references/badges.tsx';
import { reader } from '../session/reader.ts';
import { serverNow } from '../session/server-clock.ts';
import { Button } from '../ui/button.tsx';
import { download } from '../ui/download.ts';
import { InstantFields } from '../ui/instant-fields.tsx';
import { Fact, Facts } from '../ui/page.tsx';
import { ErrorState, Loaded, Notice } from '../ui/states.tsx';
import { Instant } from '../ui/time.tsx';
import { wholeMinute } from '../ui/typed-instant.ts';
import { EVIDENCE_TEXTS } from './evidence-texts.ts';
import { changesBetween } from './nominated-slots.ts';
import { nominationAsOfQuery, nominationHistoryQuery } from './queries.ts';
import { ChangesSince } from './slot-changes.tsx';

type Props = { nomination: Nomination; onSelect: (slot: number) => void };

/** What was known at a time, and the proof of the displayed version. */
export const Evidence = ({ nomination, onSelect }: Props) => (
  <div className="grid gap-6 p-4">
    <AsOf nomination={nomination} onSelect={onSelect} />
    <ProofView key={nomination.id} nomination={nomination} />
  </div>
);

function AsOf({ nomination, onSelect }: Props) {
  const { format } = useI18n();
  const texts = EVIDENCE_TEXTS[format.language];
  const [asOf, setAsOf] = useState(() => wholeMinute(serverNow()));
  const now = useQuery(nominationHistoryQuery(nomination.id));
  // A later version is unknown at an earlier time: the first one has the history of all.
  const first = now.data?.at(-1)?.id;
  const then = useQuery({
    ...nominationAsOfQuery(first ?? nomination.id, formatInstant(asOf)),
    enabled: first !== undefined,
  });
  return (
    <section className="grid gap-3">
      <h3 className="font-semibold">{texts.asOf}</h3>
      <p className="text-sm text-muted">{texts.asOfText}</p>
      <InstantFields labels={texts} value={asOf} onChange={setAsOf} />
      <Loaded query={then}>
        {(version) =>
          version === null ? (
            <p className="text-sm text-muted">{texts.none}</p>
          ) : (
            <StateThen version={version} newest={now.data?.[0] ?? null} onSelect={onSelect} />
          )
        }
      </Loaded>
    </section>
  );
}

type StateProps = {
  version: Nomination;
  newest: Nomination | null;
  onSelect: (slot: number) => void;
};

function StateThen({ version, newest, onSelect }: StateProps) {
  const { t, format } = useI18n();
  const texts = EVIDENCE_TEXTS[format.language];
  const changes = newest === null ? [] : changesBetween(version, newest);
  const isSame =
    newest !== null &&
    newest.id === version.id &&
    newest.status === version.status &&
    newest.sent_at === version.sent_at &&
    newest.confirmed_at === version.confirmed_at;
  return (
    <>
      <Facts>
        <Fact label={texts.before}>
          <span className="flex flex-wrap items-center gap-2">
            {texts.version(version.version)}
            <NominationBadges nomination={version} />
          </span>
        </Fact>
        <Fact label={t.brp.nominations.sentAt}>
          {version.sent_at ? <Instant at={version.sent_at} withUtc /> : t.common.notYet}
        </Fact>
        <Fact label={t.brp.nominations.confirmedAt}>
          {version.confirmed_at ? <Instant at={version.confirmed_at} withUtc /> : t.common.notYet}
        </Fact>
      </Facts>
      {isSame && <p className="text-sm text-muted">{texts.same}</p>}
      {changes.length > 0 && <ChangesSince heading="h4" changes={changes} onSelect={onSelect} />}
    </>
  );
}

/** Reads the proof and the platform's key together, so that the file can be verified without the platform. */
async function readProof(id: string) {
  const [proof, key] = await Promise.all([reader().nominations.proof(id), reader().ledger.key()]);
  return { proof, key };
}
type ProofFile = Awaited<ReturnType<typeof readProof>>;

/** Verifies the proof in the browser, and that it is of this nomination. */
async function verify({ proof, key }: ProofFile, id: string): Promise<void> {
  const { entry } = await verifyProof(proof, key);
  if (entry['id'] !== id) throw new SaldoProofError('The entry is of another record.');
}

function ProofView({ nomination }: { nomination: Nomination }) {
  const { format } = useI18n();
  const texts = EVIDENCE_TEXTS[format.language];
  const read = useMutation({ mutationFn: readProof });
  const verification = useMutation({
    mutationFn: ({ file, id }: { file: ProofFile; id: string }) => verify(file, id),
  });
  const isInvalid = verification.error instanceof SaldoProofError;
  const { data } = read;
  return (
    <section className="grid gap-3">
      <h3 className="font-semibold">{texts.proof}</h3>
      <p className="max-w-prose text-sm text-muted">{texts.proofText}</p>
      {isProblem(read.error, 'not_sealed') && <Notice tone="warn">{texts.notSealed}</Notice>}
      {read.error && !isProblem(read.error, 'not_sealed') && <ErrorState error={read.error} />}
      {data && (
        <Facts>
          <Fact label={texts.sealedAt}>
            <Instant at={data.proof.seal.sealed_at} withUtc />
          </Fact>
          <Fact label={texts.entry}>{texts.entryOf(data.proof.leaf_index, data.proof.seal.tree_size)}</Fact>
        </Facts>
      )}
      <div className="flex flex-wrap gap-2">
        <Button onClick={() => read.mutate(nomination.id)} disabled={read.isPending}>
          {texts.read}
        </Button>
        {data && (
          <>
            <Button
              icon="download"
              onClick={() =>
                download(`proof_${nomination.id}.json`, [JSON.stringify(data, null, 2)], 'application/json')
              }
            >
              {texts.save}
            </Button>
            <Button
              onClick={() => verification.mutate({ file: data, id: nomination.id })}
              disabled={verification.isPending}
            >
              {texts.verify}
            </Button>
          </>
        )}
      </div>
      {verification.isSuccess && <Notice tone="ok">{texts.isValid}</Notice>}
      {isInvalid && <Notice tone="bad">{texts.isInvalid}</Notice>}
      {verification.error && !isInvalid && <ErrorState error={verification.error} />}
    </section>
  );
}
