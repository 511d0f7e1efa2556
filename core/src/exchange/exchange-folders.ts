/** The naming rules of the folders through which the platform and a gateway pass files to each other. */

/** Subfolder for files that were processed. */
export const DONE_FOLDER = 'done';

/** Whether a file is still being written. */
export const isUnfinished = (name: string): boolean => /^\.|\.(?:tmp|part)$/i.test(name);

/** Name of a file until it is complete. `unique` prevents two writers of the same file from sharing a draft. */
export const draftName = (name: string, unique: string): string => `.${name}.${unique}.tmp`;

/** Name of the file with the properties that a gateway needs to forward a file. */
export const sidecarName = (name: string): string => `${name}.json`;

export const isSidecar = (name: string): boolean => name.endsWith('.json');
