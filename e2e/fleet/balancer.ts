import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** Passes TCP connections on to the servers that are ready, in turn. */
export interface Balancer {
  http: string;
  ws: string;
  /** Servers that were ready when they were last asked. */
  ready(): readonly string[];
  close(): Promise<void>;
}

const ASK_EVERY_MS = 100;
const ANSWER_WITHIN_MS = 1000;

/** @param servers origins, such as `http://127.0.0.1:4173` */
export async function startBalancer(servers: readonly string[]): Promise<Balancer> {
  let ready: readonly string[] = [];
  let next = 0;
  const open = new Set<Socket>();

  const isReady = async (server: string): Promise<boolean> => {
    try {
      const answer = await fetch(`${server}/ready`, { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
      await answer.arrayBuffer();
      return answer.ok;
    } catch {
      return false;
    }
  };
  const ask = async () => {
    const answers = await Promise.all(servers.map(isReady));
    ready = servers.filter((_, at) => answers[at]);
  };
  let timer: NodeJS.Timeout;
  const askAgain = () => {
    timer = setTimeout(() => void ask().then(askAgain), ASK_EVERY_MS);
  };
  await ask();
  askAgain();

  const balancer = createServer({ allowHalfOpen: true }, (near) => {
    next += 1;
    const server = ready[next % ready.length];
    if (server === undefined) {
      near.destroy();
      return;
    }
    const { hostname, port } = new URL(server);
    const far = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    near.pipe(far).pipe(near);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(one);
      one.setNoDelay();
      one.on('error', () => other.destroy());
      one.on('close', () => open.delete(one));
    }
  });
  balancer.listen(0, '127.0.0.1');
  await once(balancer, 'listening');
  const address = balancer.address();
  const where = `127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  return {
    http: `http://${where}`,
    ws: `ws://${where}`,
    ready: () => ready,
    async close() {
      clearTimeout(timer);
      for (const socket of open) socket.destroy();
      await new Promise((closed) => balancer.close(closed));
    },
  };
}
