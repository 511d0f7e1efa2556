import { checkEic } from '@saldo/core/eic.ts';
import { Link, type LinkOptions, linkOptions } from '@tanstack/react-router';
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
export function SubjectTarget({ id, className, children }: TargetProps) {
  const page = pageOfSubject(id);
  if (page === null) return <span className={className}>{children}</span>;
  return (
    <Link {...page} className={className}>
      {children}
    </Link>
  );
}

function pageOfSubject(id: string): LinkOptions | null {
  switch (/^([a-z]+)_/.exec(id)?.[1]) {
    case 'cust':
      return linkOptions({ to: '/operator/customers/$customerId', params: { customerId: id } });
    case 'con':
      return linkOptions({ to: '/operator/contracts/$contractId', params: { contractId: id } });
    case 'brp':
      return linkOptions({ to: '/operator/brps/$brpId', params: { brpId: id } });
    case 'acc':
      return linkOptions({ to: '/operator/accounts/$accountId', params: { accountId: id } });
    case 'nom':
      return linkOptions({ to: '/operator/nominations/$nominationId', params: { nominationId: id } });
    case 'ast':
      return linkOptions({ to: '/operator/assets/$assetId', params: { assetId: id } });
    case 'ser':
      return linkOptions({ to: '/operator/series/$seriesId', params: { seriesId: id } });
    case 'icg':
      return linkOptions({
        to: '/operator/series/interchanges/$interchangeId',
        params: { interchangeId: id },
      });
    case 'msg':
      return linkOptions({ to: '/operator/messages/$messageId', params: { messageId: id } });
    case 'dem':
      return linkOptions({ to: '/operator/demands' });
    case 'inq':
      return linkOptions({ to: '/operator/inquiries' });
    default:
      if (checkEic(id) !== null) return null;
      return linkOptions({ to: '/operator/balance-groups', search: { search: id } });
  }
}
