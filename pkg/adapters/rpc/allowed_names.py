"""``cert-allowed-cn``: only clients whose certificate has one of these common names are answered."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

import grpc


@dataclass(frozen=True)
class AllowedNames(grpc.ServerInterceptor):  # type: ignore[type-arg]  # it is no generic at run time
    """Wraps every call with a look at the peer's certificate."""

    names: Collection[str]

    def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], grpc.RpcMethodHandler[Any, Any] | None],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> Any:
        handler: Any = continuation(handler_call_details)
        if handler is None:
            return None
        if handler.response_streaming:
            make, behaviour = grpc.stream_stream_rpc_method_handler, handler.stream_stream
        else:
            make, behaviour = grpc.unary_unary_rpc_method_handler, handler.unary_unary

        def checked(request: Any, context: Any) -> Any:
            found = [name.decode("utf-8", "replace") for name in context.auth_context().get("x509_common_name", ())]
            if not set(found) & set(self.names):
                context.abort(
                    grpc.StatusCode.PERMISSION_DENIED, f"certificate for {found}: cert-allowed-cn does not name it"
                )
            return behaviour(request, context)

        return make(checked, handler.request_deserializer, handler.response_serializer)
