import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { Help } from './bar/help.tsx';
import { useTheme } from './bar/theme-toggle.tsx';
import { DemoLayout } from './demo/demo-layout.tsx';
import { useDemo } from './demo/demo-store.ts';
import { Exchange } from './exchange/exchange.tsx';
import { NarrowLayout } from './layout/narrow-layout.tsx';
import { WideLayout } from './layout/wide-layout.tsx';
import { ModePage } from './modes/mode-page.tsx';
import { PanelBoundary } from './panel-boundary.tsx';
import { useMode } from './stores/mode-store.ts';
import { UiProvider } from './ui/provider.tsx';
import { useMedia, WIDE } from './use-media.ts';
import { useShortcuts } from './use-shortcuts.ts';

const queries = new QueryClient();

export function App() {
  useTheme();
  useShortcuts();
  const wide = useMedia(WIDE);
  const mode = useMode((state) => state.mode);
  const demo = useDemo((state) => state.on);
  return (
    <UiProvider>
      <QueryClientProvider client={queries}>
        <PanelBoundary name="The page">
          {mode !== 'studio' ? (
            <ModePage mode={mode} wide={wide} />
          ) : demo ? (
            <DemoLayout />
          ) : wide ? (
            <WideLayout />
          ) : (
            <NarrowLayout />
          )}
          <Help />
          <Exchange />
        </PanelBoundary>
      </QueryClientProvider>
    </UiProvider>
  );
}
