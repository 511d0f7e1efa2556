import type { Contract } from '@saldo/api';
import { type DeliveryDay, formatInstant } from '@saldo/core/delivery-day.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useI18n } from '../i18n/i18n.tsx';
import { EVIDENCE_TEXTS } from '../nominations/evidence-texts.ts';
import { ChangesSince } from '../nominations/slot-changes.tsx';
import { serverNow } from '../session/server-clock.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { InstantFields } from '../ui/instant-fields.tsx';
import { Loaded } from '../ui/states.tsx';
import { wholeMinute } from '../ui/typed-instant.ts';
import { contractDayAsOfQuery, contractDayQuery } from './queries.ts';
import { differences, validSumKwh, volumeSlots } from './volume-slots.ts';

type Props = { contract: Contract; day: DeliveryDay };

/** Opens the volumes that the day had at a time, and their difference to now. */
export function DayAsOfButton(props: Props) {
  const { format } = useI18n();
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setIsOpen(true)}>{EVIDENCE_TEXTS[format.language].button}</Button>
      {isOpen && <DayAsOfDialog {...props} onClose={() => setIsOpen(false)} />}
    </>
  );
}

function DayAsOfDialog({ contract, day, onClose }: Props & { onClose: () => void }) {
  const { format } = useI18n();
  const texts = EVIDENCE_TEXTS[format.language];
  const [asOf, setAsOf] = useState(() => wholeMinute(serverNow()));
  const then = useQuery(contractDayAsOfQuery(contract.id, day, formatInstant(asOf)));
  const now = useQuery(contractDayQuery(contract.id, day));
  return (
    <Dialog title={`${texts.asOf} · ${format.day(day)}`} onClose={onClose}>
      <div className="grid gap-3">
        <p className="text-sm text-muted">{texts.asOfText}</p>
        <InstantFields labels={texts} value={asOf} onChange={setAsOf} />
        <Loaded query={then}>
          {(transactions) => {
            const before = volumeSlots(day, transactions);
            const changes = differences(before, volumeSlots(day, now.data ?? transactions));
            if (transactions.length === 0) return <p className="text-sm text-muted">{texts.none}</p>;
            return (
              <>
                <p className="font-medium">{`${texts.before}: ${format.mwh(validSumKwh(before))} MWh`}</p>
                {changes.length === 0 ? (
                  <p className="text-sm text-muted">{texts.same}</p>
                ) : (
                  <ChangesSince heading="h3" changes={changes} />
                )}
              </>
            );
          }}
        </Loaded>
      </div>
    </Dialog>
  );
}
