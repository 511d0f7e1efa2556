import { isProblem } from '@saldo/sdk';
import { createContext, type InputHTMLAttributes, type ReactNode, useContext, useId, useState } from 'react';
import { useI18n } from '../i18n/i18n.tsx';
import { problemText } from '../i18n/problem-text.ts';
import { Button, IconButton } from './button.tsx';
import { cx } from './cx.ts';
import { DateInput } from './date-input.tsx';
import { Icon } from './icons.tsx';
import { typing } from './typing.ts';
import { useSingleSubmit } from './use-single-submit.ts';

/** Whether a server error path such as `scopes[2]` or `balance_group.eic` belongs to the form field of this name. */
const isAbout = (path: string | undefined, name: string): boolean =>
  path !== undefined && (path === name || path.startsWith(`${name}.`) || path.startsWith(`${name}[`));

const FormError = createContext<unknown>(null);

type FormProps = {
  /** The error of the last submit. Its field errors are shown at their fields. */
  error: unknown;
  /** The names of the form's fields; errors of other fields are shown above the form. */
  fields: readonly string[];
  onSubmit: () => void;
  /** Whether the input would be lost. Without it: once a field was changed. */
  isUnsaved?: boolean;
  children: ReactNode;
};

/** A field whose text has no meaning, such as a date that does not exist. */
const hasWrongText = (element: Element): element is HTMLInputElement =>
  element instanceof HTMLInputElement && element.validity.customError;

export function Form({ error, fields, onSubmit, isUnsaved, children }: FormProps) {
  const [isTouched, setIsTouched] = useState(false);
  const submitOnce = useSingleSubmit(onSubmit);
  return (
    <FormError value={error}>
      <form
        noValidate
        data-unsaved={(isUnsaved ?? isTouched) || undefined}
        onInput={() => setIsTouched(true)}
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          const wrong = Array.from(event.currentTarget.elements).find(hasWrongText);
          if (wrong) wrong.focus();
          else submitOnce();
        }}
      >
        <FormProblem error={error} shownFields={fields} />
        {children}
      </form>
    </FormError>
  );
}

/** The problem as a whole, unless all its errors are shown at fields. */
export function FormProblem({
  error,
  shownFields = [],
}: {
  error: unknown;
  shownFields?: readonly string[];
}) {
  const { t } = useI18n();
  if (!error) return null;
  const errors = isProblem(error) ? error.errors : [];
  const otherErrors = errors.filter(({ field }) => !shownFields.some((name) => isAbout(field, name)));
  const atFields = otherErrors.length > 0 ? t.common.fieldErrors : t.common.markedFields;
  // Several fields can have one error, such as two columns of which a file needs one.
  const byMessage = Map.groupBy(otherErrors, ({ message }) => message);
  const text = errors.length === 0 ? problemText(t, error) : atFields;
  return (
    <div role="alert" className="flex gap-2 rounded-md bg-bad-soft px-3 py-2 text-sm text-bad">
      <Icon name="warning" className="mt-0.5 size-4" />
      <div>
        <p>{text}</p>
        {otherErrors.length > 0 && (
          <ul className="list-disc pl-4">
            {Array.from(byMessage, ([message, problems]) => (
              <li key={message}>
                <FieldNames names={problems.flatMap(({ field }) => field ?? [])} />
                {message}
              </li>
            ))}
          </ul>
        )}
      </div>
    </div>
  );
}

const FieldNames = ({ names }: { names: readonly string[] }) =>
  names.length > 0 && <code className="font-mono">{`${names.join(', ')}: `}</code>;

export const inputClass = (hasError = false): string =>
  cx(
    'min-h-9 w-full min-w-0 rounded-md border bg-surface px-2.5 py-1.5 text-sm text-text placeholder:text-muted',
    // Safari on phones zooms into a field of smaller text.
    'touch:min-h-10 touch:text-[16px]',
    'disabled:cursor-not-allowed disabled:bg-sunken disabled:text-muted',
    hasError ? 'border-bad' : 'border-line-strong',
  );

type Control = {
  readonly id: string;
  readonly className: string;
  readonly 'aria-invalid': true | undefined;
  readonly 'aria-describedby': string | undefined;
};

/** The error of a field: the page's own validation, else the server's. */
function useFieldMessage(name: string, error: string | undefined): string | undefined {
  const problem = useContext(FormError);
  const found = isProblem(problem) ? problem.errors.find(({ field }) => isAbout(field, name)) : undefined;
  return error ?? found?.message;
}

export type FieldProps = {
  /** The name of the field in the server's `errors[].field`. */
  name: string;
  label: string;
  hint?: ReactNode;
  /** The error of the page's own validation. */
  error?: string | undefined;
  /** The label is for screen readers only, because an adjacent element already shows it. */
  isLabelHidden?: boolean;
  children: (control: Control) => ReactNode;
};

/** A label, a control, and its error below, linked for screen readers. */
export function Field({ name, label, hint, error, isLabelHidden = false, children }: FieldProps) {
  const id = useId();
  const message = useFieldMessage(name, error);
  return (
    <div className="grid content-start gap-1">
      <label htmlFor={id} className={isLabelHidden ? 'sr-only' : 'text-sm font-medium'}>
        {label}
      </label>
      {children({
        id,
        className: inputClass(message !== undefined),
        'aria-invalid': message === undefined ? undefined : true,
        'aria-describedby': messageIds({ id, message, hint }),
      })}
      <FieldMessages id={id} message={message} hint={hint} />
    </div>
  );
}

type FieldMessagesProps = { id: string; message: string | undefined; hint: ReactNode };

/** Ids of the help and error texts, for `aria-describedby`. */
const messageIds = ({ id, message, hint }: FieldMessagesProps): string | undefined =>
  [message && `${id}-error`, hint && `${id}-hint`].filter(Boolean).join(' ') || undefined;

function FieldMessages({ id, message, hint }: FieldMessagesProps) {
  return (
    <>
      {message && (
        <p id={`${id}-error`} className="text-sm text-bad">
          {message}
        </p>
      )}
      {hint && (
        <p id={`${id}-hint`} className="text-xs text-muted">
          {hint}
        </p>
      )}
    </>
  );
}

type TextFieldProps = Omit<FieldProps, 'children'> &
  Pick<
    InputHTMLAttributes<HTMLInputElement>,
    | 'type'
    | 'autoComplete'
    | 'maxLength'
    | 'placeholder'
    | 'disabled'
    | 'required'
    | 'autoFocus'
    | 'inputMode'
  > & {
    value: string;
    onChange: (value: string) => void;
  };

export function TextField(props: TextFieldProps) {
  const { name, label, hint, error, isLabelHidden = false, value, onChange, ...rest } = props;
  return (
    <Field name={name} label={label} hint={hint} error={error} isLabelHidden={isLabelHidden}>
      {(control) => <input {...rest} {...control} name={name} value={value} {...typing(onChange)} />}
    </Field>
  );
}

/** A number whose value has a decimal point. The field shows the mark of the page's language and accepts both. */
export function DecimalField(props: TextFieldProps) {
  const { format } = useI18n();
  return (
    <TextField
      {...props}
      inputMode="decimal"
      autoComplete="off"
      value={props.value.replace('.', format.decimalMark)}
      onChange={(text) => props.onChange(text.replace(',', '.'))}
    />
  );
}

type DateFieldProps = Omit<FieldProps, 'children'> & {
  value: string;
  min?: string;
  required?: boolean;
  onChange: (value: string) => void;
};

/** A day in the format of the page's language. */
export function DateField(props: DateFieldProps) {
  const { name, label, hint, error, isLabelHidden = false, ...input } = props;
  return (
    <Field name={name} label={label} hint={hint} error={error} isLabelHidden={isLabelHidden}>
      {(control) => <DateInput {...control} {...input} name={name} />}
    </Field>
  );
}

type TextAreaProps = Omit<FieldProps, 'children'> & {
  value: string;
  maxLength: number;
  rows?: number;
  onChange: (value: string) => void;
};

/** Multi-line text. */
export function TextAreaField(props: TextAreaProps) {
  const { name, label, hint, error, value, maxLength, rows = 4, onChange } = props;
  return (
    <Field name={name} label={label} hint={hint} error={error}>
      {(control) => (
        <textarea
          {...control}
          name={name}
          rows={rows}
          maxLength={maxLength}
          value={value}
          {...typing(onChange)}
        />
      )}
    </Field>
  );
}

/** A password field with a button to show the password. */
export function PasswordField(props: Omit<TextFieldProps, 'type'>) {
  const { t } = useI18n();
  const [isShown, setIsShown] = useState(false);
  const { name, label, hint, error, value, onChange, ...rest } = props;
  return (
    <Field name={name} label={label} hint={hint} error={error}>
      {(control) => (
        <div className="flex items-center gap-1">
          <input
            {...rest}
            {...control}
            name={name}
            type={isShown ? 'text' : 'password'}
            value={value}
            {...typing(onChange)}
          />
          <IconButton
            icon={isShown ? 'eyeOff' : 'eye'}
            label={isShown ? t.session.hidePassword : t.session.showPassword}
            onClick={() => setIsShown(!isShown)}
          />
        </div>
      )}
    </Field>
  );
}

export type Option<V extends string> = {
  readonly value: V;
  readonly label: string;
  readonly isDisabled?: boolean;
};

type SelectFieldProps<V extends string> = Omit<FieldProps, 'children'> & {
  value: V;
  options: readonly Option<V>[];
  disabled?: boolean;
  onChange: (value: V) => void;
};

export function SelectField<V extends string>(props: SelectFieldProps<V>) {
  const { name, label, hint, error, value, options, disabled, onChange } = props;
  return (
    <Field name={name} label={label} hint={hint} error={error}>
      {(control) => (
        <select
          {...control}
          name={name}
          value={value}
          disabled={disabled}
          onChange={(event) => onChange(event.target.value as V)}
        >
          {options.map((option) => (
            <option key={option.value} value={option.value} disabled={option.isDisabled}>
              {option.label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

type CheckboxProps = {
  name?: string;
  value?: string;
  label: ReactNode;
  checked: boolean;
  onChange: (checked: boolean) => void;
};

export function Checkbox({ label, onChange, ...input }: CheckboxProps) {
  return (
    <label className="flex items-center gap-2 text-sm">
      <input
        {...input}
        type="checkbox"
        className="size-4 accent-accent"
        onChange={(event) => onChange(event.target.checked)}
      />
      {label}
    </label>
  );
}

type CheckboxGroupProps<V extends string> = Omit<FieldProps, 'children'> & {
  value: readonly V[];
  options: readonly { readonly value: V; readonly label: ReactNode }[];
  onChange: (value: readonly V[]) => void;
};

/** Multiple choice, in the order of the options. */
export function CheckboxGroup<V extends string>(props: CheckboxGroupProps<V>) {
  const { name, label, hint, error, value, options, onChange } = props;
  const id = useId();
  const message = useFieldMessage(name, error);
  const toggle = (toggled: V) =>
    onChange(
      options.map((option) => option.value).filter((known) => (known === toggled) !== value.includes(known)),
    );
  return (
    <fieldset className="grid gap-1.5" aria-describedby={messageIds({ id, message, hint })}>
      <legend className="mb-1 text-sm font-medium">{label}</legend>
      {options.map((option) => (
        <Checkbox
          key={option.value}
          name={name}
          value={option.value}
          label={option.label}
          checked={value.includes(option.value)}
          onChange={() => toggle(option.value)}
        />
      ))}
      <FieldMessages id={id} message={message} hint={hint} />
    </fieldset>
  );
}

/** The two buttons at the end of a form in a dialog. */
export function FormButtons(props: {
  action: string;
  isBusy: boolean;
  disabled?: boolean;
  onClose: () => void;
}) {
  const { t } = useI18n();
  return (
    <div className="flex justify-end gap-2">
      <Button onClick={props.onClose}>{t.common.cancel}</Button>
      <Button type="submit" variant="primary" isBusy={props.isBusy} disabled={props.disabled ?? false}>
        {props.action}
      </Button>
    </div>
  );
}
