import { OTHER_WAYS } from './filling.ts';
import { testForms } from './forms.ts';

await testForms(OTHER_WAYS);
