import type { OperatorCustomer } from '@saldo/api';
import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { CustomerBadge } from '../brp/badges.tsx';
import { BalanceGroupPanel, CustomerFacts, StatusButtons } from '../brp/customer.tsx';
import { MetadataEditor } from '../brp/metadata-editor.tsx';
import { useI18n } from '../i18n/i18n.tsx';
import { operatorClient } from '../session/operator-client.ts';
import { useMayManage } from '../session/session.ts';
import { useRefresh } from '../session/use-refresh.ts';
import { Button, buttonClass } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Form, FormButtons } from '../ui/form.tsx';
import { Fact, Page } from '../ui/page.tsx';
import { Loaded, Notice, Skeleton } from '../ui/states.tsx';
import { useToast } from '../ui/toast.tsx';
import { BrpField, NameField } from './fields.tsx';
import { BrpLink } from './party-links.tsx';
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

/** A customer as its BRP sees it, with the fields that only the operator may change: name and BRP. */
function CustomerView({ customer, etag }: ViewProps) {
  const { t } = useI18n();
  const mayManage = useMayManage();
  const groups = useQuery(groupsQuery({ brp_id: customer.brp_id }));
  const [isOpen, setIsOpen] = useState(false);
  return (
    <Page
      title={customer.name}
      trail={
        <Link to="/operator/customers" className="hover:underline">
          {t.brp.customers.title}
        </Link>
      }
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
        <BalanceGroupPanel
          key={customer.brp_id}
          customer={customer}
          etag={etag}
          text={t.operator.customers.groupText}
          groups={groups}
        />
        <MetadataEditor customer={customer} etag={etag} />
      </div>
      {isOpen && <EditDialog customer={customer} etag={etag} onClose={() => setIsOpen(false)} />}
    </Page>
  );
}

function EditDialog({ customer, etag, onClose }: ViewProps & { onClose: () => void }) {
  const { t } = useI18n();
  const texts = t.operator.customers;
  const toast = useToast();
  const refresh = useRefresh();
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
    onSettled: () => refresh(['customer', customer.id], ['customers']),
  });
  return (
    <Dialog title={`${texts.edit}: ${customer.name}`} onClose={onClose}>
      <Form error={update.error} fields={['name', 'brp_id']} onSubmit={() => update.mutate()}>
        <NameField autoFocus value={name} onChange={setName} />
        <BrpField name="brp_id" label={t.operator.brp} value={brp} onChange={setBrp} />
        {isMoved && <Notice tone="warn">{texts.movedText}</Notice>}
        <FormButtons action={t.common.save} isBusy={update.isPending} onClose={onClose} />
      </Form>
    </Dialog>
  );
}
