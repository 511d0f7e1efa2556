import { checkEic } from '@saldo/core/eic.ts';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { CopyButton } from '../ui/copy.tsx';

/** An id of the audit trail, as a link to the page of that record if there is one. */
export function SubjectLink({ id }: { id: string }) {
  return (
    <span className="inline-flex max-w-full items-center gap-0.5">
      <SubjectTarget id={id} className="truncate font-mono text-[0.92em] [a&]:hover:underline">
        {id}
      </SubjectTarget>
      <CopyButton text={id} what={id} />
    </span>
  );
}

type TargetProps = {
  id: string;
  /** Class of the link, and of the text if the record has no page. */
  className: string;
  children: ReactNode;
};

/** A link to the page of a record, by its id; without one only the text. */
export function SubjectTarget({ id, className: look, children }: TargetProps) {
  if (id.startsWith('cust_'))
    return (
      <Link to="/operator/customers/$customerId" params={{ customerId: id }} className={look}>
        {children}
      </Link>
    );
  if (id.startsWith('con_'))
    return (
      <Link to="/operator/contracts/$contractId" params={{ contractId: id }} className={look}>
        {children}
      </Link>
    );
  if (id.startsWith('brp_'))
    return (
      <Link to="/operator/brps/$brpId" params={{ brpId: id }} className={look}>
        {children}
      </Link>
    );
  if (id.startsWith('acc_'))
    return (
      <Link to="/operator/accounts/$accountId" params={{ accountId: id }} className={look}>
        {children}
      </Link>
    );
  if (id.startsWith('nom_'))
    return (
      <Link to="/operator/nominations/$nominationId" params={{ nominationId: id }} className={look}>
        {children}
      </Link>
    );
  if (id.startsWith('ast_'))
    return (
      <Link to="/operator/assets/$assetId" params={{ assetId: id }} className={look}>
        {children}
      </Link>
    );
  if (id.startsWith('msg_'))
    return (
      <Link to="/operator/messages/$messageId" params={{ messageId: id }} className={look}>
        {children}
      </Link>
    );
  if (id.startsWith('dem_'))
    return (
      <Link to="/operator/demands" className={look}>
        {children}
      </Link>
    );
  if (checkEic(id) === null)
    return (
      <Link to="/operator/balance-groups" search={{ search: id }} className={look}>
        {children}
      </Link>
    );
  return <span className={look}>{children}</span>;
}
