export { type Frame, kindsOf, SocketClient } from '../socket-client.test-helper.ts';
