import type { BalanceGroup, Customer } from '@saldo/api';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useI18n } from '../i18n/i18n.tsx';
import { NameField } from '../references/name-field.tsx';
import { groupsQuery } from '../references/operator-queries.ts';
import { BalanceGroupFields, BrpField } from '../references/party-fields.tsx';
import { BrpLink } from '../references/party-links.tsx';
import { OwnerSeries } from '../series/owner-series.tsx';
import { usePermission } from '../session/session.ts';
import { Button, buttonClass } from '../ui/button.tsx';
import { ConflictNotice } from '../ui/conflict.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Form, FormButtons } from '../ui/form.tsx';
import { Fact } from '../ui/page.tsx';
import { Notice } from '../ui/states.tsx';
import { useToast } from '../ui/toast.tsx';
import { useOthersChange } from '../ui/use-input.ts';
import { CustomerPage, type CustomerProps, CustomerView } from './customer.tsx';
import { CustomerChangeDialog, useCustomerChange } from './customer-change.tsx';
import { describeCustomer, useCustomerUpdate } from './customer-update.ts';
import { OPERATOR_CUSTOMER_TEXTS } from './operator-texts.ts';
import { brpOf } from './queries.ts';
import { CUSTOMER_TEXTS } from './texts.ts';

export const OperatorCustomerPage = () => (
  <CustomerPage>{(props) => <OperatorCustomer {...props} />}</CustomerPage>
);

/** A customer as its BRP sees it, with the fields that only the operator may change: name and BRP. */
function OperatorCustomer({ customer, etag }: CustomerProps) {
  const { t } = useI18n();
  const mayChange = usePermission('member');
  const brpId = brpOf(customer);
  const groups = useQuery(groupsQuery({ brp_id: brpId }));
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <CustomerView
        customer={customer}
        etag={etag}
        groups={groups}
        groupText={OPERATOR_CUSTOMER_TEXTS[t.language].groupText}
        facts={
          <Fact label={t.operator.brp}>
            <BrpLink id={brpId} />
          </Fact>
        }
        actions={
          <>
            <Link to="/operator/audit" search={{ subject: customer.id }} className={buttonClass()}>
              {t.operator.nav.audit}
            </Link>
            {mayChange && (
              <Button icon="edit" onClick={() => setIsOpen(true)}>
                {OPERATOR_CUSTOMER_TEXTS[t.language].edit}
              </Button>
            )}
          </>
        }
      >
        <OwnerSeries owner={{ type: 'customer', id: customer.id, name: customer.name }} />
      </CustomerView>
      {isOpen && <EditDialog customer={customer} etag={etag} onClose={() => setIsOpen(false)} />}
    </>
  );
}

/** A new name is saved at once. A new BRP changes nominations, and is confirmed first. */
function EditDialog({ customer, etag, onClose }: CustomerProps & { onClose: () => void }) {
  const { t } = useI18n();
  const texts = OPERATOR_CUSTOMER_TEXTS[t.language];
  const toast = useToast();
  const [name, setName] = useState(customer.name);
  const [brp, setBrp] = useState(brpOf(customer));
  const [group, setGroup] = useState<BalanceGroup | null>(null);
  const isMoved = brp !== brpOf(customer);
  const isUnsaved = isMoved || name !== customer.name;
  const started = useOthersChange(customer, {
    isChangedFrom: (of) => name !== of.name || brp !== brpOf(of),
    rebase: (base, stored) => {
      if (name === base.name) setName(stored.name);
      if (brp === brpOf(base)) setBrp(brpOf(stored));
    },
  });
  const done = (saved: Customer) => {
    toast(t.operator.savedToast(saved.name));
    onClose();
  };
  const rename = useCustomerUpdate(done);
  const move = useCustomerChange(customer, etag, done);
  const submit = () => {
    if (isMoved) move.ask({ name, brp_id: brp, ...(group && { balance_group: group }) });
    else rename.mutate({ customer, etag, change: { name } });
  };
  const chooseBrp = (chosen: string) => {
    setBrp(chosen);
    setGroup(null);
  };
  if (move.asked && !move.isRejected) {
    const title = CUSTOMER_TEXTS[t.language].moveTitle(customer.name);
    return (
      <CustomerChangeDialog
        title={title}
        text={texts.movedText}
        action={CUSTOMER_TEXTS[t.language].move}
        change={move}
      />
    );
  }
  return (
    <Dialog title={`${texts.edit}: ${customer.name}`} onClose={onClose}>
      <Form
        error={isMoved ? move.error : rename.error}
        fields={['name', 'brp_id', 'balance_group']}
        onSubmit={submit}
        isUnsaved={isUnsaved}
      >
        <ConflictNotice
          recordId={customer.id}
          started={started}
          current={customer}
          describe={describeCustomer(t)}
          onReset={() => {
            setName(customer.name);
            chooseBrp(brpOf(customer));
          }}
        />
        <NameField value={name} onChange={setName} />
        <BrpField name="brp_id" label={t.operator.brp} value={brp} onChange={chooseBrp} />
        {isMoved && (
          <>
            <Notice tone="warn">{texts.movedText}</Notice>
            <BalanceGroupFields brpId={brp} hint={texts.movedGroupHint} value={group} onChange={setGroup} />
          </>
        )}
        <FormButtons
          action={isMoved ? CUSTOMER_TEXTS[t.language].preview : t.common.save}
          isBusy={rename.isPending}
          onClose={onClose}
        />
      </Form>
    </Dialog>
  );
}
