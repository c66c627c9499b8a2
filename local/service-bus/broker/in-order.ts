// Messages ready for delivery, lowest sequence number first. Almost every insertion is at the end
// (new messages) and almost every removal at the front; a message that comes back (abandoned, lock
// lost) takes its old place again, which is what keeps a session first in, first out.

import type { Message } from "./message.ts";

export type InOrder = {
  readonly size: number;
  add(message: Message): void;
  takeFirst(): Message | undefined;
  remove(message: Message): boolean;
};

export function inOrder(): InOrder {
  let messages: Message[] = [];
  // Index of the first message still there: shifting an array of thousands for each take is slow.
  let front = 0;

  /** Where a message of this number is, or would stand. */
  function place(sequenceNumber: number): number {
    let low = front;
    let high = messages.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((messages[middle]?.sequenceNumber ?? Infinity) < sequenceNumber) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  return {
    get size() {
      return messages.length - front;
    },
    add(message) {
      const index = place(message.sequenceNumber);
      if (index === messages.length) messages.push(message);
      else messages.splice(index, 0, message);
    },
    takeFirst() {
      const message = messages[front];
      if (message === undefined) return undefined;
      front += 1;
      if (front > 1000 || front === messages.length) {
        messages = messages.slice(front);
        front = 0;
      }
      return message;
    },
    remove(message) {
      const index = place(message.sequenceNumber);
      if (messages[index] !== message) return false;
      messages.splice(index, 1);
      return true;
    },
  };
}
