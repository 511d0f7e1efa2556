import type { BalanceGroup, Customer, OperatorCustomer } from '@saldo/api';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { CustomerBadge } from '../references/badges.tsx';
import { ConflictNotice } from '../ui/conflict.tsx';
import { BalanceGroupPanel, CustomerFacts, StatusButtons } from './customer.tsx';
import { CustomerChangeDialog, useCustomerChange } from './customer-change.tsx';
import { describeCustomer, useCustomerUpdate } from './customer-update.ts';
import { MetadataEditor } from './metadata-editor.tsx';
import { PlacementsPanel } from './placements.tsx';
import { useI18n } from '../i18n/i18n.tsx';
import { useMayManage } from '../session/session.ts';
import { Button, buttonClass } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Form, FormButtons } from '../ui/form.tsx';
import { Fact, Page, TrailLink } from '../ui/page.tsx';
import { Loaded, Notice, Skeleton } from '../ui/states.tsx';
import { useToast } from '../ui/toast.tsx';
import { useOthersChange } from '../ui/use-input.ts';
import { BalanceGroupFields, BrpField, NameField } from '../references/party-fields.tsx';
import { BrpLink } from '../references/party-links.tsx';
import { customerQuery, groupsQuery } from '../operator/queries.ts';

const route = getRouteApi('/app/operator/customers/$customerId');

export function CustomerPage() {
  const { customerId } = route.useParams();
  const query = useQuery(customerQuery(customerId));
  return (
    <Loaded query={query} loading={<Skeleton lines={10} />}>
      {({ record, etag }) => <CustomerView customer={record} etag={etag} />}
    </Loaded>
  );
}

type ViewProps = { customer: OperatorCustomer; etag: string | null };

/** A customer as its BRP sees it, with the fields that only the operator may change: name and BRP. */
function CustomerView({ customer, etag }: ViewProps) {
  const { t } = useI18n();
  const mayManage = useMayManage();
  const groups = useQuery(groupsQuery({ brp_id: customer.brp_id }));
  const [isOpen, setIsOpen] = useState(false);
  return (
    <Page
      title={customer.name}
      trail={<TrailLink to="/operator/customers" label={t.brp.customers.title} />}
      badges={<CustomerBadge status={customer.status} />}
      actions={
        <>
          <Link to="/operator/audit" search={{ subject: customer.id }} className={buttonClass()}>
            {t.operator.audit.ofThis}
          </Link>
          {mayManage && (
            <>
              <Button icon="edit" onClick={() => setIsOpen(true)}>
                {t.operator.customers.edit}
              </Button>
              <StatusButtons customer={customer} etag={etag} />
            </>
          )}
        </>
      }
    >
      <CustomerFacts customer={customer}>
        <Fact label={t.operator.brp}>
          <BrpLink id={customer.brp_id} />
        </Fact>
      </CustomerFacts>
      <div className="grid items-start gap-4 xl:grid-cols-2">
        <div className="grid gap-4">
          <BalanceGroupPanel
            key={customer.brp_id}
            customer={customer}
            etag={etag}
            text={t.operator.customers.groupText}
            groups={groups}
          />
          <PlacementsPanel customerId={customer.id} />
        </div>
        <MetadataEditor customer={customer} etag={etag} />
      </div>
      {isOpen && <EditDialog customer={customer} etag={etag} onClose={() => setIsOpen(false)} />}
    </Page>
  );
}

/** A new name is saved at once. A new BRP changes nominations, and is confirmed first. */
function EditDialog({ customer, etag, onClose }: ViewProps & { onClose: () => void }) {
  const { t } = useI18n();
  const texts = t.operator.customers;
  const toast = useToast();
  const [name, setName] = useState(customer.name);
  const [brp, setBrp] = useState(customer.brp_id);
  const [group, setGroup] = useState<BalanceGroup | null>(null);
  const isMoved = brp !== customer.brp_id;
  const isUnsaved = isMoved || name !== customer.name;
  const started = useOthersChange(customer, {
    isChangedFrom: (of) => name !== of.name || brp !== of.brp_id,
    rebase: (base, stored) => {
      if (name === base.name) setName(stored.name);
      if (brp === base.brp_id) setBrp(stored.brp_id);
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
    const title = t.brp.customers.moveTitle(customer.name);
    return (
      <CustomerChangeDialog
        title={title}
        text={texts.movedText}
        action={t.brp.customers.move}
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
            chooseBrp(customer.brp_id);
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
        <FormButtons action={t.common.save} isBusy={rename.isPending} onClose={onClose} />
      </Form>
    </Dialog>
  );
}
