import { isWellFormedText } from './customer.ts';

/** Whether mail arrives there is for the mail to say; this is only what no address has. */
const FORM = /^[^\s@<>()[\]\\,;:"]{1,64}@[^\s@<>()[\]\\,;:"]+$/;

export const isEmail = (text: string): boolean => FORM.test(text) && isWellFormedText(text);

/** The one form in which emails are stored and compared: upper and lower case are the same. */
export const normalEmail = (email: string): string => email.normalize('NFC').toLowerCase();
