package imageanalysis.client;

import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import io.grpc.stub.StreamObserver;
import java.util.Iterator;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * A stream that takes requests from an iterator only as fast as the service takes them, and answers
 * one by one as the consumer is done with the last: memory holds a few pictures, however many there are.
 */
public final class BoundedStream<Q, A> implements ClientResponseObserver<Q, A> {
  private final Iterator<Q> requests;
  private final Consumer<A> consumer;
  private final CompletableFuture<Void> done = new CompletableFuture<>();
  private final Semaphore room = new Semaphore(0);
  private ClientCallStreamObserver<Q> call;

  private BoundedStream(Iterator<Q> requests, Consumer<A> consumer) {
    this.requests = requests;
    this.consumer = consumer;
  }

  /**
   * @param method such as {@code client.facesAsync()::streamDetectFaces}
   * @param requests taken by a thread of its own, which is interrupted when the stream ends: it may
   *     wait for the next one
   * @param consumer called by one thread at a time; its exception ends the stream
   * @return completes when all answers were consumed, or with the stream's error; cancelling it
   *     ends the stream
   */
  public static <Q, A> CompletableFuture<Void> run(
      Function<StreamObserver<A>, StreamObserver<Q>> method,
      Iterator<Q> requests,
      Consumer<A> consumer) {
    BoundedStream<Q, A> stream = new BoundedStream<>(requests, consumer);
    method.apply(stream);
    Thread sender = new Thread(stream::send, "bounded-stream");
    sender.setDaemon(true);
    sender.start();
    stream.done.whenComplete((nothing, error) -> sender.interrupt());
    return stream.done;
  }

  @Override
  public void beforeStart(ClientCallStreamObserver<Q> call) {
    this.call = call;
    call.disableAutoRequestWithInitial(1);
    call.setOnReadyHandler(room::release);
    done.whenComplete(
        (nothing, error) -> {
          if (error != null) call.cancel("the caller ended the stream", error);
        });
  }

  private void send() {
    try {
      // The iterator may have swallowed the interrupt.
      while (!done.isDone() && requests.hasNext()) {
        Q request = requests.next();
        while (!call.isReady() && !done.isDone()) room.acquire();
        call.onNext(request);
      }
      call.onCompleted();
    } catch (Throwable error) {
      done.completeExceptionally(error);
    }
  }

  @Override
  public void onNext(A answer) {
    try {
      consumer.accept(answer);
      call.request(1);
    } catch (RuntimeException error) {
      done.completeExceptionally(error);
    }
  }

  @Override
  public void onError(Throwable error) {
    done.completeExceptionally(error);
  }

  @Override
  public void onCompleted() {
    done.complete(null);
  }
}
