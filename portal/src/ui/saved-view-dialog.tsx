import { useState } from 'react';
import { useI18n } from '../i18n/i18n.tsx';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { FormButtons, TextField } from './form.tsx';
import { VIEW_TEXTS } from './saved-view-texts.ts';
import { MAX_VIEW_NAME, MAX_VIEWS, type SavedView, withoutView, withView } from './saved-views.ts';

type Props = {
  views: readonly SavedView[];
  /** The filters of the page. */
  current: Pick<SavedView, 'path' | 'search'>;
  /** The view that is renamed or removed; undefined for a new one. */
  former: SavedView | undefined;
  onChange: (views: readonly SavedView[]) => void;
  onClose: () => void;
};

/** Saves the filters of a list under a name, renames a view, or removes it. */
export function SavedViewDialog({ views, current, former, onChange, onClose }: Props) {
  const { t } = useI18n();
  const texts = VIEW_TEXTS[t.language];
  const [typed, setTyped] = useState(former?.name ?? '');
  const name = typed.trim();
  const isTaken = views.some((view) => view !== former && view.path === current.path && view.name === name);
  const isFull = former === undefined && !isTaken && views.length >= MAX_VIEWS;
  const change = (changed: readonly SavedView[]) => {
    onChange(changed);
    onClose();
  };
  return (
    <Dialog title={former ? texts.editTitle : texts.saveTitle} onClose={onClose}>
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (name !== '' && !isFull) change(withView(views, { ...current, name }, former));
        }}
      >
        <TextField
          name="name"
          label={texts.name}
          hint={isFull ? texts.full(MAX_VIEWS) : isTaken ? texts.replaces : texts.text}
          autoComplete="off"
          maxLength={MAX_VIEW_NAME}
          value={typed}
          onChange={setTyped}
        />
        <div className="flex flex-wrap justify-end gap-2">
          {former && (
            <Button icon="trash" onClick={() => change(withoutView(views, former))}>
              {texts.remove}
            </Button>
          )}
          <FormButtons
            action={texts.submit}
            isBusy={false}
            disabled={name === '' || isFull}
            onClose={onClose}
          />
        </div>
      </form>
    </Dialog>
  );
}
