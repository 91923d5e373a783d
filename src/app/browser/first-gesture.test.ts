import { describe, expect, it } from 'vitest';
import { onFirstGesture } from './first-gesture.ts';

function waiting(browser: Parameters<typeof onFirstGesture>[1] = {}) {
  const target = new EventTarget();
  const seen = { count: 0 };
  const stop = onFirstGesture(target, browser, () => {
    seen.count += 1;
  });
  return { seen, stop, press: (type: string) => target.dispatchEvent(new Event(type)) };
}

describe('onFirstGesture', () => {
  it.each(['pointerdown', 'pointerup', 'keydown'])('calls back at a %s, and never again', (type) => {
    const { seen, press } = waiting();
    press(type);
    press('keydown');
    press('pointerdown');
    expect(seen.count).toBe(1);
  });

  it('waits on while the browser does not count the event as a gesture', () => {
    const userActivation = { isActive: false };
    const { seen, press } = waiting({ userActivation });
    press('pointerdown');
    expect(seen.count).toBe(0);
    userActivation.isActive = true;
    press('pointerup');
    expect(seen.count).toBe(1);
  });

  it('takes no notice of moving and scrolling, nor of anything once it is stopped', () => {
    const { seen, stop, press } = waiting();
    press('pointermove');
    press('wheel');
    stop();
    press('keydown');
    expect(seen.count).toBe(0);
  });
});
