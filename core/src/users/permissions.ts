import { USER_PERMISSIONS, type UserPermissions } from '../enums.ts';

/** Whether a user with `permissions` may do what needs at least `needed`. */
export const includesPermissions = (permissions: UserPermissions, needed: UserPermissions): boolean =>
  USER_PERMISSIONS.indexOf(permissions) <= USER_PERMISSIONS.indexOf(needed);
