import { NONCE_PLACEHOLDER } from '#lib/page-nonce.ts';

/** Our server puts a fresh nonce here with each page; the browser hides it from selectors, not from scripts. */
export const pageNonce = (): string | undefined => {
  const meta = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]');
  return meta?.nonce || undefined;
};

/**
 * Whether our own server has served this page, and so speaks the protocols under its origin. On a static host it is
 * known without asking that there is none.
 */
export const HAS_LOCAL_SERVER = typeof document === 'undefined' || pageNonce() !== NONCE_PLACEHOLDER;

export const NO_LOCAL_SERVER = 'No local server runs here: choose another one.';
