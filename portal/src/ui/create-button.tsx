import { type ReactNode, useCallback, useState } from 'react';
import { usePermission } from '../session/session.ts';
import { Button } from './button.tsx';
import { createHandover } from './handover.ts';

type Props = {
  label: string;
  /** The primary style is for a page's header; in a panel the button is secondary. */
  isPrimary?: boolean;
  /** The permissions that creating the record needs. */
  needs?: 'member' | 'admin';
  /** The dialog that creates the record. */
  children: (close: () => void) => ReactNode;
};

/** The paths of pages whose dialog the search has opened. */
const creations = createHandover<string>();
export const offerCreation = creations.offer;

/** Opens a dialog that creates a record. Hidden from users without the permission to make changes. */
export function CreateButton({ label, isPrimary = false, needs = 'member', children }: Props) {
  const [isOpen, setIsOpen] = useState(false);
  const open = useCallback(() => setIsOpen(true), []);
  if (!usePermission(needs)) return null;
  return (
    <>
      {isPrimary && <OfferedCreation onOffer={open} />}
      <Button variant={isPrimary ? 'primary' : 'secondary'} icon="plus" onClick={open}>
        {label}
      </Button>
      {isOpen && children(() => setIsOpen(false))}
    </>
  );
}

/** The search opens the dialog of the page's header, not those of its panels. */
function OfferedCreation({ onOffer }: { onOffer: () => void }) {
  const take = useCallback(
    (path: string) => {
      // An offer for a page that failed to load must not open the dialog of a later one.
      if (path === window.location.pathname) onOffer();
    },
    [onOffer],
  );
  creations.useOffered(take);
  return null;
}
