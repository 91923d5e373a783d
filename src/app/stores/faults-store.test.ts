import { beforeEach, describe, expect, it } from 'vitest';
import { parseFaults } from '#protocol/faults/fault-spec.ts';
import { ENDPOINTS } from '#protocol/registry.ts';
import { targetOf } from '../session-client/target.ts';
import {
  activeFaults,
  faultDraft,
  selectMayFault,
  setFaultDraft,
  turnFaultsOff,
  turnFaultsOn,
  useFaults,
} from './faults-store.ts';

const ORIGIN = 'http://127.0.0.1:4173';
const on = (server: string, endpoint: string = 'kugel-stream') => ({
  endpoint,
  servers: { [endpoint]: server },
  customBases: {},
  settings: {},
});
const activeOn = (page: ReturnType<typeof on>) => activeFaults(useFaults.getState(), page);
/** The target while faults are on. */
function faultyTarget(page: ReturnType<typeof on>, spec: string) {
  turnFaultsOn(page, spec);
  return targetOf(page, { keys: {} }, ORIGIN, activeOn(page));
}

beforeEach(() => useFaults.setState({ drafts: {}, active: null }));

describe('faults of the page', () => {
  it('belong to the local server and to its relay, of every endpoint', () => {
    for (const { id } of ENDPOINTS) {
      const may = ['local', 'relay', 'cloud', 'custom'].map((server) => selectMayFault(on(server, id)));
      expect(may).toEqual([true, true, false, false]);
    }
  });

  it('apply to the endpoint and server that they were switched on for', () => {
    turnFaultsOn(on('local'), 'reset@3');
    expect(activeOn(on('local'))?.spec).toBe('reset@3');
    for (const other of [on('relay'), on('cloud'), on('local', 'murmr')]) expect(activeOn(other)).toBeNull();
    turnFaultsOff();
    expect(activeOn(on('local'))).toBeNull();
  });

  it('are drafted for each server, which changes nothing until they are switched on', () => {
    setFaultDraft(on('local'), 'reset@3');
    expect(faultDraft(useFaults.getState(), on('local'))).toBe('reset@3');
    expect(faultDraft(useFaults.getState(), on('relay'))).toBe('');
    expect(activeOn(on('local'))).toBeNull();
  });

  it.each([
    ['local', /^ws:\/\/127\.0\.0\.1:4173\/faults\/reset@3,mark=(page-\w+)\/kugel$/],
    ['relay', /^ws:\/\/127\.0\.0\.1:4173\/faults\/reset@3,mark=(page-\w+)\/relay\/kugel$/],
  ])('are in the base of the target, with a mark: %s', (server, base) => {
    const target = faultyTarget(on(server), 'reset@3');
    expect(target?.base).toMatch(base);
    expect(target?.mark).toBe(base.exec(target?.base ?? '')?.[1]);
    const spec = /faults\/([^/]*)/.exec(target?.base ?? '')?.[1] ?? '';
    expect(parseFaults(spec)).toHaveProperty('faults');
  });

  it('have another mark when they are switched on again, so that their first connection is one to the server', () => {
    const bases = [1, 2].map(() => faultyTarget(on('local'), 'reset@3:first')?.base);
    expect(new Set(bases).size).toBe(2);
    expect(faultyTarget(on('local'), 'reset@3')?.mark).toBe(activeOn(on('local'))?.mark);
  });

  it('keep a mark that is typed', () => {
    const target = faultyTarget(on('local'), 'mark=mine,reset@3');
    expect(target).toMatchObject({
      base: `${ORIGIN.replace('http', 'ws')}/faults/mark=mine,reset@3/kugel`,
      mark: 'mine',
    });
  });
});
