import { Monitor, Moon, Sun } from 'lucide-react';
import { useEffect } from 'react';
import { type Theme, useSettings } from '../../stores/settings-store.ts';
import { IconButton } from '../../ui/icon-button.tsx';

const NEXT: Record<Theme, Theme> = { system: 'light', light: 'dark', dark: 'system' };
const ICONS = { system: Monitor, light: Sun, dark: Moon };

/** Keeps the chosen theme on the document; `public/theme.js` puts it there before the first paint. */
export function useTheme(): void {
  const theme = useSettings((state) => state.theme);
  useEffect(() => {
    if (theme === 'system') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
  }, [theme]);
}

export function ThemeToggle() {
  const theme = useSettings((state) => state.theme);
  return (
    <IconButton
      label={`Theme: ${theme}. Change to ${NEXT[theme]}`}
      icon={ICONS[theme]}
      tooltipSide="bottom"
      onClick={() => useSettings.setState({ theme: NEXT[theme] })}
    />
  );
}
