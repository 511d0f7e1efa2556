import { type ReactNode, useState } from 'react';
import { usePermission } from '../session/session.ts';
import { Button } from './button.tsx';

type Props = {
  label: string;
  /** The primary style is for a page's header; in a panel the button is secondary. */
  isPrimary?: boolean;
  /** The permissions that creating the record needs. */
  needs?: 'member' | 'admin';
  /** The dialog that creates the record. */
  children: (close: () => void) => ReactNode;
};

/** Opens a dialog that creates a record. Hidden from users without the permission to make changes. */
export function CreateButton({ label, isPrimary = false, needs = 'member', children }: Props) {
  const [isOpen, setIsOpen] = useState(false);
  if (!usePermission(needs)) return null;
  return (
    <>
      <Button variant={isPrimary ? 'primary' : 'secondary'} icon="plus" onClick={() => setIsOpen(true)}>
        {label}
      </Button>
      {isOpen && children(() => setIsOpen(false))}
    </>
  );
}
