import { expect, test } from '@playwright/test';
import { PAGE_ENDPOINTS } from '#protocol/registry.ts';
import { startWatchedServer } from './bench/local-server.ts';
import { launchChromium } from './browser.ts';
import { SECRET_KEY } from './fuzz/server/client-scripts.ts';
import { soak } from './soak/soak.ts';

/** A short pass of `npm run soak`: one round, too short to judge growth. Sound is tested elsewhere. */
test('page and server go on through every endpoint, scene, cancel and recording', {
  tag: '@long',
}, async () => {
  const server = await startWatchedServer({ VOICEWIRE_KEYS: SECRET_KEY });
  const browser = await launchChromium('--autoplay-policy=no-user-gesture-required');
  try {
    const page = await browser.newPage({ baseURL: server.http, viewport: { width: 1440, height: 900 } });
    const { samples, sessions, underruns, errors, faults } = await soak(page, server, {
      forMs: 1000,
      sessions: 2,
      seed: 7,
    });
    test.info().annotations.push({ type: 'figures', description: `${underruns.length} underruns` });
    expect([...errors, ...faults, ...sessions.findings]).toEqual([]);
    expect(samples).toHaveLength(1);
    for (const thread of ['pageMiB', 'sessionMiB', 'recordingsMiB', 'audioThreadMiB'] as const)
      expect(samples[0]?.[thread], thread).toBeGreaterThan(0);
    expect(samples[0]?.page.turns).toBeGreaterThanOrEqual(3 * PAGE_ENDPOINTS.length);
    expect(sessions.cases).toBeGreaterThan(0);
  } finally {
    await browser.close();
    await server.stop();
  }
});
