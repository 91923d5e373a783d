import { Text } from 'lucide-react';
import { languageName } from '#lib/languages.ts';
import { languageSetting } from '#protocol/core/settings.ts';
import type { SampleText } from '#text/default-text.ts';
import { withFields } from '../../settings/setting-value.ts';
import { selectEndpoint, selectSettings, useSettings } from '../../stores/settings-store.ts';
import { Button } from '../../ui/button.tsx';
import { laterPopup } from '../../ui/later.tsx';
import type { MenuProps } from '../../ui/popups/menu-parts.tsx';

function take(sample: SampleText): void {
  const page = useSettings.getState();
  const simulation = { ...page.simulation, preset: sample.profile, tokensPerSecond: null, jitter: null };
  useSettings.setState({ draft: sample.text, sendWhileTyping: false, simulation });
  const endpoint = selectEndpoint(page);
  const field = languageSetting(endpoint.settings)?.field;
  const language = endpoint.languageValue(sample.language);
  if (field && selectSettings(page)[field] !== language)
    page.setSettings(withFields(selectSettings(page), { [field]: language }));
}

const TextMenu = laterPopup<Pick<MenuProps, 'trigger'>>('The menu', 'menu', async () => {
  const [{ ActionMenu }, { SAMPLE_TEXTS }] = await Promise.all([
    import('../../ui/popups/menu-parts.tsx'),
    import('#text/samples.ts'),
  ]);
  const items = SAMPLE_TEXTS.map((sample) => ({
    id: sample.id,
    label: sample.title,
    hint: languageName(sample.language) ?? sample.language,
    onSelect: () => take(sample),
  }));
  return (props) => <ActionMenu {...props} align="start" side="top" items={items} />;
});

const TRIGGER = (
  <Button variant="ghost" size="small" icon={Text}>
    Samples
  </Button>
);

export const SampleMenu = () => <TextMenu trigger={TRIGGER} />;
