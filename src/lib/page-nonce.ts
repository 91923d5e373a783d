/** Placeholder that the server replaces in each response. A page with it comes from another server. */
export const NONCE_PLACEHOLDER = 'VOICEWIRE_PAGE_NONCE';
