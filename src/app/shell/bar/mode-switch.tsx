import { useMedia } from '../../browser/use-media.ts';
import { goToMode, MODES, useMode } from '../../stores/mode-store.ts';
import { Segmented } from '../../ui/segmented.tsx';
import { Select } from '../../ui/select.tsx';

/** From here on the bar has room for all modes beside the totals of a session. */
const SPACIOUS = '(width >= 1400px)';

export function ModeSwitch() {
  const mode = useMode((state) => state.mode);
  const isSpacious = useMedia(SPACIOUS);
  return isSpacious ? (
    <Segmented
      label="Mode"
      size="small"
      options={MODES.map(({ value, title }) => ({ value, label: title }))}
      value={mode}
      onChange={goToMode}
    />
  ) : (
    <Select
      label="Mode"
      quiet
      options={MODES.map(({ value, title, hint }) => ({ value, label: title, hint }))}
      value={mode}
      onChange={goToMode}
    />
  );
}
