import type { QueryKey } from '@tanstack/react-query';
import { useRefresh } from '../session/use-refresh.ts';
import { useToast } from './toast.tsx';
import { useIsMounted } from './use-is-mounted.ts';

type Options<Answer> = {
  /** The text that confirms the change. */
  toast: (answer: Answer) => string;
  /** The keys of the queries that the change affects. */
  refresh: readonly QueryKey[];
  /** Closes the dialog that sent the change. Not called if the user has closed it: another one may be open. */
  onDone: (answer: Answer) => void;
};

/** The handlers of a change that a dialog sends. A change that failed refreshes the page, too: others may be the cause. */
export function useChangeHandlers<Answer>({ toast: textOf, refresh: keys, onDone }: Options<Answer>) {
  const toast = useToast();
  const refresh = useRefresh();
  const isMounted = useIsMounted();
  return {
    onSuccess: (answer: Answer) => {
      toast(textOf(answer));
      if (isMounted()) onDone(answer);
    },
    onSettled: () => refresh(...keys),
  };
}
