import type { Contract, Transaction } from '@saldo/api';
import {
  addDays,
  type DeliveryDay,
  dayOf,
  dayStart,
  formatInstant,
  isDay,
} from '@saldo/core/delivery-day.ts';
import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { ContractBadge } from '../brp/badges.tsx';
import { ContractFacts, NoVolumes } from '../brp/contract.tsx';
import { ContractVolumes } from '../brp/contract-day.tsx';
import { contractQuery } from '../brp/queries.ts';
import { useI18n } from '../i18n/i18n.tsx';
import { operatorClient } from '../session/operator-client.ts';
import { useToday } from '../session/server-clock.ts';
import { useMayManage } from '../session/session.ts';
import { useRefresh } from '../session/use-refresh.ts';
import { choicesOf } from '../ui/address.ts';
import { Button, buttonClass } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { DateField, Form, FormButtons } from '../ui/form.tsx';
import { Page } from '../ui/page.tsx';
import { Loaded, Notice, Skeleton } from '../ui/states.tsx';
import { useToast } from '../ui/toast.tsx';
import { DayEditor } from './day-editor.tsx';
import { InvalidateDialog } from './invalidate-dialog.tsx';

const route = getRouteApi('/app/operator/contracts/$contractId');

/** A contract of any BRPs: its terms, its volumes, and their correction. */
export function ContractPage() {
  const { contractId } = route.useParams();
  const query = useQuery(contractQuery(contractId));
  return (
    <Loaded query={query} loading={<Skeleton lines={12} />}>
      {(contract) => <ContractView contract={contract} />}
    </Loaded>
  );
}

type Edited = { readonly day: DeliveryDay; readonly transactions: readonly Transaction[] };

function ContractView({ contract }: { contract: Contract }) {
  const { t } = useI18n();
  const texts = t.operator.contracts;
  const mayManage = useMayManage();
  const { search, set } = choicesOf(route.useSearch(), route.useNavigate());
  const [isEndAsked, setIsEndAsked] = useState(false);
  const [edited, setEdited] = useState<Edited | null>(null);
  const [wrong, setWrong] = useState<Transaction | null>(null);
  return (
    <Page
      title={contract.external_id}
      trail={
        <Link to="/operator/contracts" className="hover:underline">
          {t.brp.contracts.title}
        </Link>
      }
      badges={<ContractBadge status={contract.status} />}
      actions={
        <>
          <Link to="/operator/audit" search={{ subject: contract.id }} className={buttonClass()}>
            {t.operator.audit.ofThis}
          </Link>
          {mayManage && contract.status !== 'completed' && (
            <Button onClick={() => setIsEndAsked(true)}>{texts.end}</Button>
          )}
        </>
      }
    >
      <ContractFacts contract={contract} />
      {contract.type !== 'ppa' && <NoVolumes />}
      {edited && (
        <DayEditor
          key={edited.day}
          contract={contract}
          day={edited.day}
          transactions={edited.transactions}
          firstSlot={search.slot ?? 1}
          onClose={() => setEdited(null)}
        />
      )}
      {contract.type === 'ppa' && !edited && (
        <ContractVolumes
          contract={contract}
          search={search}
          set={set}
          actions={(day, transactions) =>
            mayManage && (
              <Button icon="edit" onClick={() => setEdited({ day, transactions })}>
                {texts.editDay}
              </Button>
            )
          }
          versionActions={(newest) =>
            mayManage &&
            newest.status === 'valid' && (
              <Button onClick={() => setWrong(newest)}>{t.operator.invalidate.action}</Button>
            )
          }
        />
      )}
      {wrong && <InvalidateDialog transaction={wrong} onClose={() => setWrong(null)} />}
      {isEndAsked && <EndDialog contract={contract} onClose={() => setIsEndAsked(false)} />}
    </Page>
  );
}

/** Ends the delivery after a day. Volumes of later days are removed from every saldo. */
function EndDialog({ contract, onClose }: { contract: Contract; onClose: () => void }) {
  const { t } = useI18n();
  const texts = t.operator.contracts;
  const toast = useToast();
  const today = useToday();
  const refresh = useRefresh();
  const { delivery_end } = contract;
  const [lastDay, setLastDay] = useState(delivery_end === null ? today : dayOf(Date.parse(delivery_end) - 1));
  const update = useMutation({
    mutationFn: () =>
      operatorClient.contracts.update(contract.id, {
        delivery_end: formatInstant(dayStart(addDays(lastDay, 1))),
      }),
    onSuccess: ({ external_id }) => {
      toast(t.operator.savedToast(external_id));
      onClose();
    },
    onSettled: () => refresh(['contract', contract.id], ['contracts'], ['nominations']),
  });
  return (
    <Dialog title={texts.endTitle(contract.external_id)} onClose={onClose}>
      <Form error={update.error} fields={['delivery_end']} onSubmit={() => update.mutate()}>
        <Notice tone="warn">{texts.endText}</Notice>
        <DateField
          name="delivery_end"
          label={texts.lastDay}
          value={lastDay}
          onChange={(day) => isDay(day) && setLastDay(day)}
        />
        <FormButtons action={texts.end} isBusy={update.isPending} onClose={onClose} />
      </Form>
    </Dialog>
  );
}
