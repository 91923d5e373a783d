import type { RunningServer } from '../running-server.ts';
import { SocketClient } from '../socket-client.test-helper.ts';

export class RealtimeClient extends SocketClient {
  constructor(server: Pick<RunningServer, 'ws'>) {
    super(`${server.ws}/murmr/v1/realtime`);
  }
}
