import { LIMITS, type OperatorCustomer } from '@saldo/api';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { CustomerBadge } from '../brp/badges.tsx';
import { BalanceGroupForm, StatusButtons } from '../brp/customer.tsx';
import { MetadataEditor } from '../brp/metadata-editor.tsx';
import { useI18n } from '../i18n/i18n.tsx';
import { operatorClient } from '../session/operator-client.ts';
import { useMayManage } from '../session/session.ts';
import { Button, buttonClass } from '../ui/button.tsx';
import { Code } from '../ui/copy.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Form, FormButtons, TextField } from '../ui/form.tsx';
import { Fact, Facts, Page, Panel } from '../ui/page.tsx';
import { Loaded, Notice, Skeleton } from '../ui/states.tsx';
import { Instant } from '../ui/time.tsx';
import { useToast } from '../ui/toast.tsx';
import { BrpField } from './fields.tsx';
import { usePartyNames } from './lookups.ts';
import { customerQuery, groupsQuery } from './queries.ts';

const route = getRouteApi('/app/operator/customers/$customerId');

export function CustomerPage() {
  const { customerId } = route.useParams();
  const query = useQuery(customerQuery(customerId));
  return (
    <Loaded query={query} loading={<Skeleton lines={10} />}>
      {({ customer, etag }) => <CustomerView customer={customer} etag={etag} />}
    </Loaded>
  );
}

type ViewProps = { customer: OperatorCustomer; etag: string | null };

/** A customer as its BRP sees it, and what only the operator may change: its name and its BRP. */
function CustomerView({ customer, etag }: ViewProps) {
  const { t } = useI18n();
  const mayManage = useMayManage();
  const [isAsked, setIsAsked] = useState(false);
  return (
    <Page
      title={customer.name}
      trail={
        <Link to="/operator/customers" className="hover:underline">
          {t.brp.customers.title}
        </Link>
      }
      heading={
        <span className="flex flex-wrap items-center gap-3">
          {customer.name}
          <CustomerBadge status={customer.status} />
        </span>
      }
      actions={
        <>
          <Link to="/operator/audit" search={{ subject: customer.id }} className={buttonClass()}>
            {t.operator.audit.ofThis}
          </Link>
          {mayManage && (
            <>
              <Button icon="edit" onClick={() => setIsAsked(true)}>
                {t.operator.customers.edit}
              </Button>
              <StatusButtons customer={customer} etag={etag} />
            </>
          )}
        </>
      }
    >
      <CustomerFacts customer={customer} />
      <div className="grid items-start gap-4 xl:grid-cols-2">
        <GroupPanel customer={customer} etag={etag} />
        <MetadataEditor customer={customer} etag={etag} />
      </div>
      {isAsked && <EditDialog customer={customer} etag={etag} onClose={() => setIsAsked(false)} />}
    </Page>
  );
}

function CustomerFacts({ customer }: { customer: OperatorCustomer }) {
  const { t } = useI18n();
  const names = usePartyNames();
  return (
    <Panel>
      <Facts>
        <Fact label={t.operator.brp}>
          <Link to="/operator/brps/$brpId" params={{ brpId: customer.brp_id }} className="hover:underline">
            {names.get(customer.brp_id) ?? customer.brp_id}
          </Link>
        </Fact>
        <Fact label={t.brp.customers.assigned}>
          <Instant at={customer.assigned_at} withUtc />
        </Fact>
        <Fact label={t.brp.customers.activated}>
          {customer.activated_at ? <Instant at={customer.activated_at} withUtc /> : t.common.notYet}
        </Fact>
        <Fact label={t.common.created}>
          <Instant at={customer.created_at} withUtc />
        </Fact>
        <Fact label={t.common.id}>
          <Code text={customer.id} />
        </Fact>
      </Facts>
    </Panel>
  );
}

function GroupPanel({ customer, etag }: ViewProps) {
  const { t } = useI18n();
  const mayManage = useMayManage();
  const groups = useQuery(groupsQuery({ brp_id: customer.brp_id }));
  const group = customer.balance_group;
  return (
    <Panel title={t.common.balanceGroup} text={t.operator.customers.groupText}>
      {mayManage ? (
        <Loaded query={groups} loading={<Skeleton lines={3} />}>
          {(ofBrp) => (
            <BalanceGroupForm
              // What somebody else has saved meanwhile is what the form begins with.
              key={`${customer.brp_id}${group?.eic}${group?.tso}`}
              customer={customer}
              etag={etag}
              groups={ofBrp}
            />
          )}
        </Loaded>
      ) : group ? (
        <p className="flex items-center gap-2 text-sm">
          <Code text={group.eic} />
          {t.common.tsos[group.tso]}
        </p>
      ) : (
        <p className="text-sm text-muted">{t.brp.customers.noBalanceGroup}</p>
      )}
    </Panel>
  );
}

function EditDialog({ customer, etag, onClose }: ViewProps & { onClose: () => void }) {
  const { t } = useI18n();
  const texts = t.operator.customers;
  const toast = useToast();
  const queryClient = useQueryClient();
  const [name, setName] = useState(customer.name);
  const [brp, setBrp] = useState(customer.brp_id);
  const isMoved = brp !== customer.brp_id;
  const update = useMutation({
    mutationFn: () =>
      operatorClient.customers.update(
        customer.id,
        { name, ...(isMoved ? { brp_id: brp } : {}) },
        etag === null ? {} : { ifMatch: etag },
      ),
    onSuccess: () => {
      toast(t.operator.savedToast(name));
      onClose();
    },
    onSettled: () =>
      Promise.all(
        [['customer', customer.id], ['customers']].map((queryKey) =>
          queryClient.invalidateQueries({ queryKey }),
        ),
      ),
  });
  return (
    <Dialog title={`${texts.edit}: ${customer.name}`} onClose={onClose}>
      <Form error={update.error} fields={['name', 'brp_id']} onSubmit={() => update.mutate()}>
        <TextField
          name="name"
          label={t.operator.name}
          autoFocus
          autoComplete="off"
          maxLength={LIMITS.nameLength}
          value={name}
          onChange={setName}
        />
        <BrpField name="brp_id" label={t.operator.brp} value={brp} onChange={setBrp} />
        {isMoved && <Notice tone="warn">{texts.movedText}</Notice>}
        <FormButtons action={t.common.save} isBusy={update.isPending} onClose={onClose} />
      </Form>
    </Dialog>
  );
}
