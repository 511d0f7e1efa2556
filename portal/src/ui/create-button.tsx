import { type ReactNode, useState } from 'react';
import { useMayManage } from '../session/session.ts';
import { Button } from './button.tsx';

type Props = {
  label: string;
  /** On a page's own line it stands out; in a panel it is one among others. */
  isPrimary?: boolean;
  /** The dialog in which it is made. */
  children: (close: () => void) => ReactNode;
};

/** Makes something new. Who may only look finds no such button. */
export function CreateButton({ label, isPrimary = false, children }: Props) {
  const [isAsked, setIsAsked] = useState(false);
  if (!useMayManage()) return null;
  return (
    <>
      <Button variant={isPrimary ? 'primary' : 'secondary'} icon="plus" onClick={() => setIsAsked(true)}>
        {label}
      </Button>
      {isAsked && children(() => setIsAsked(false))}
    </>
  );
}
