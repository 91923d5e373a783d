import { CSPProvider } from '@base-ui/react/csp-provider';
import { Tooltip } from '@base-ui/react/tooltip';
import type { ReactNode } from 'react';
import { pageNonce } from '../browser/local-server.ts';

/** What the components below need once: the nonce for the library's style elements, and shared tooltip delays. */
export function UiProvider({ children }: { children: ReactNode }) {
  return (
    <CSPProvider nonce={pageNonce()}>
      <Tooltip.Provider delay={400} closeDelay={0}>
        {children}
      </Tooltip.Provider>
    </CSPProvider>
  );
}
