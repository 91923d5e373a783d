import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';

/** Saves the shown recording from the open dialog **Export**. @param format as the button names it */
export async function savedFrom(page: Page, format: string): Promise<Buffer> {
  const download = page.waitForEvent('download');
  await page
    .getByRole('dialog')
    .getByRole('button', { name: `Save as ${format}` })
    .click();
  return await readFile(await (await download).path());
}

/** Exports the shown recording as text. */
export async function savedAs(page: Page, format: 'Recording' | 'HAR'): Promise<string> {
  await page.getByRole('button', { name: 'Export', exact: true }).click();
  const file = await savedFrom(page, format);
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  return file.toString();
}

/** Returns everything in the page's databases as text, bytes as characters. */
export const storedText = (page: Page): Promise<string> =>
  page.evaluate(async () => {
    const done = <T>(request: IDBRequest<T>): Promise<T> =>
      new Promise((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
      });
    const plain = (_: string, value: unknown): unknown =>
      value instanceof Uint8Array ? new TextDecoder('latin1').decode(value) : value;
    const texts: string[] = [];
    for (const { name = '' } of await indexedDB.databases()) {
      const database = await done(indexedDB.open(name));
      for (const store of database.objectStoreNames) {
        const all = await done(database.transaction(store).objectStore(store).getAll());
        texts.push(...all.map((value) => JSON.stringify(value, plain)));
      }
      database.close();
    }
    return texts.join('\n').replaceAll('\\"', '"');
  });
