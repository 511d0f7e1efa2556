import { createContext, useContext } from 'react';

/** Elements whose input is not saved carry the attribute `data-unsaved`. */
export const hasUnsaved = (within: ParentNode): boolean => within.querySelector('[data-unsaved]') !== null;

export type MayLeave = (within?: ParentNode) => Promise<boolean>;

export const MayLeaveContext = createContext<MayLeave>(async () => true);

/** Resolves to whether this part of the page may go: at once without unsaved input, else the user decides. */
export const useMayLeave = (): MayLeave => useContext(MayLeaveContext);
