import { createStore, type StoreApi } from 'zustand/vanilla';
import { paint } from './paint.ts';

/** Returns a store with the state of another as it is a few times a second, and the effect that follows the other. */
export function deferredStore<State>(store: StoreApi<State>): {
  deferred: StoreApi<State>;
  follow: () => () => void;
} {
  const deferred = createStore(() => store.getState());
  const follow = () => {
    let cancel: (() => void) | null = null;
    const changed = () => {
      cancel ??= paint.defer(() => {
        cancel = null;
        deferred.setState(store.getState(), true);
      });
    };
    const leave = store.subscribe(changed);
    // The store may have changed between rendering and subscribing.
    changed();
    return () => {
      leave();
      cancel?.();
    };
  };
  return { deferred, follow };
}
