import { useI18n } from '../i18n/i18n.tsx';
import { usePermission } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { setStory } from './state.ts';
import { STORY_TEXTS } from './texts.ts';

/** Offers the guided story again. */
export function StoryButton() {
  const { language } = useI18n();
  if (!usePermission('member')) return null;
  return (
    <Button icon="steps" onClick={() => setStory('asked')}>
      {STORY_TEXTS[language].title}
    </Button>
  );
}
