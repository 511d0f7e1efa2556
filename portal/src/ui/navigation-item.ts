import type { UserPermissions } from '@saldo/api';
import type { LinkProps } from '@tanstack/react-router';
import type { Dictionary } from '../i18n/dictionary.ts';
import type { IconName } from './icons.tsx';

/** A page in the navigation, which the search finds, too. */
export type NavigationItem = {
  readonly to: NonNullable<LinkProps['to']>;
  readonly label: (t: Dictionary) => string;
  readonly icon: IconName;
  /** The permissions that the page needs; default `viewer`. */
  readonly needs?: UserPermissions;
};
