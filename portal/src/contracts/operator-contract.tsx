import type { Contract, OperatorTransaction, Transaction } from '@saldo/api';
import {
  addDays,
  type DeliveryDay,
  dayOf,
  dayStart,
  formatInstant,
  isDay,
} from '@saldo/core/delivery-day.ts';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useI18n } from '../i18n/i18n.tsx';
import { SeriesLink } from '../series/series-link.tsx';
import { operatorClient } from '../session/operator-client.ts';
import { useToday } from '../session/server-clock.ts';
import { usePermission } from '../session/session.ts';
import { changeOf, useChange, type Versioned } from '../session/versions.ts';
import { ContractVolumes } from '../transactions/contract-day.tsx';
import { DayEditor } from '../transactions/day-editor.tsx';
import { InvalidateDialog } from '../transactions/invalidate-dialog.tsx';
import { INVALIDATE_TEXTS } from '../transactions/invalidate-texts.ts';
import { Button, buttonClass } from '../ui/button.tsx';
import { ConflictNotice } from '../ui/conflict.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { DateField, Form, FormButtons } from '../ui/form.tsx';
import { Notice } from '../ui/states.tsx';
import { useChangeHandlers } from '../ui/use-change-handlers.ts';
import { useInput } from '../ui/use-input.ts';
import { ContractPage, ContractView } from './contract.tsx';
import { OPERATOR_CONTRACT_TEXTS } from './operator-texts.ts';
import { contractQuery } from './queries.ts';
import { isSourceKind, sourceOf } from './source.ts';
import { SourcePanel } from './source-panel.tsx';

export const OperatorContractPage = () => (
  <ContractPage>{(version) => <OperatorContract version={version} />}</ContractPage>
);

type Edited = { readonly day: DeliveryDay; readonly transactions: readonly Transaction[] };

/** A contract of any BRPs: its end and the correction of its volumes are the operator's. */
function OperatorContract({ version }: { version: Versioned<Contract> }) {
  const { record: contract } = version;
  const { t } = useI18n();
  const texts = OPERATOR_CONTRACT_TEXTS[t.language];
  const mayChange = usePermission('member');
  const [isEndAsked, setIsEndAsked] = useState(false);
  const [edited, setEdited] = useState<Edited | null>(null);
  const [wrong, setWrong] = useState<Transaction | null>(null);
  return (
    <>
      <ContractView
        contract={contract}
        actions={
          <>
            <Link to="/operator/audit" search={{ subject: contract.id }} className={buttonClass()}>
              {t.operator.nav.audit}
            </Link>
            {mayChange && contract.status !== 'completed' && (
              <Button onClick={() => setIsEndAsked(true)}>{texts.end}</Button>
            )}
          </>
        }
      >
        {(props) =>
          edited ? (
            <DayEditor
              key={edited.day}
              contract={contract}
              day={edited.day}
              transactions={edited.transactions}
              firstSlot={props.search.slot ?? 1}
              onClose={() => setEdited(null)}
            />
          ) : (
            <>
              {isSourceKind(contract.ppa_type) && <SourcePanel version={version} kind={contract.ppa_type} />}
              <ContractVolumes
                {...props}
                originLink={(transaction) => <OriginLink contract={contract} transaction={transaction} />}
                actions={(day, transactions) =>
                  mayChange &&
                  !(sourceOf(contract) && transactions.some(isSourced)) && (
                    <Button icon="edit" onClick={() => setEdited({ day, transactions })}>
                      {texts.editDay}
                    </Button>
                  )
                }
                versionActions={(newest) =>
                  mayChange &&
                  newest.status === 'valid' && (
                    <Button onClick={() => setWrong(newest)}>{INVALIDATE_TEXTS[t.language].action}</Button>
                  )
                }
              />
            </>
          )
        }
      </ContractView>
      {wrong && <InvalidateDialog transaction={wrong} onClose={() => setWrong(null)} />}
      {isEndAsked && <EndDialog version={version} onClose={() => setIsEndAsked(false)} />}
    </>
  );
}

/** While the contract has a source, volumes that follow series cannot be written. */
const isSourced = (transaction: Transaction & Partial<OperatorTransaction>): boolean =>
  transaction.source != null;

type OriginProps = { contract: Contract; transaction: Transaction & Partial<OperatorTransaction> };

/** The kind of the series that a volume comes from, as a link to it while it is the source of the contract. */
function OriginLink({ contract, transaction: { source, delivery_start, slot_number } }: OriginProps) {
  const { t } = useI18n();
  if (!source) return null;
  const name = t.common.origins[source];
  const id = sourceOf(contract)?.[source];
  if (!id) return name;
  const search = { day: dayOf(Date.parse(delivery_start)), slot: slot_number };
  return <SeriesLink id={id} name={name} search={search} />;
}

/** Ends the delivery after a day. Volumes of later days are removed from every saldo. */
function EndDialog({ version, onClose }: { version: Versioned<Contract>; onClose: () => void }) {
  const { t, format } = useI18n();
  const texts = OPERATOR_CONTRACT_TEXTS[t.language];
  const { id, external_id } = version.record;
  const today = useToday();
  const [openedOn] = useState(today);
  const inputOf = ({ delivery_end: end }: Contract) => ({
    isOpenEnded: end === null,
    lastDay: end === null ? openedOn : dayOf(Date.parse(end) - 1),
  });
  const { input, set, isUnsaved, started, reset } = useInput(inputOf(version.record));
  const update = useChange(
    useChangeHandlers<Contract>({
      toast: () => t.operator.savedToast(external_id),
      refresh: [['contract', id], ['contracts'], ['nominations']],
      onDone: onClose,
    }),
  );
  const submit = () => {
    const delivery_end = formatInstant(dayStart(addDays(input.lastDay, 1)));
    update.mutate(
      changeOf({
        query: contractQuery(id),
        from: version,
        partOf: inputOf,
        send: (options) => operatorClient.contracts.update(id, { delivery_end }, options),
      }),
    );
  };
  return (
    <Dialog title={texts.endTitle(external_id)} onClose={onClose}>
      <Form error={update.error} fields={['delivery_end']} isUnsaved={isUnsaved} onSubmit={submit}>
        <ConflictNotice
          recordId={id}
          started={started}
          current={inputOf(version.record)}
          describe={({ isOpenEnded, lastDay }) => ({
            [texts.lastDay]: isOpenEnded ? t.brp.contracts.open : format.day(lastDay),
          })}
          onReset={reset}
        />
        <Notice tone="warn">{texts.endText}</Notice>
        <DateField
          name="delivery_end"
          label={texts.lastDay}
          value={input.lastDay}
          onChange={(day) => isDay(day) && set({ lastDay: day })}
        />
        <FormButtons action={texts.end} isBusy={update.isPending} onClose={onClose} />
      </Form>
    </Dialog>
  );
}
